"""Explain a NameError in a notebook in one sentence instead of a traceback."""


def install() -> None:
    """Install a handler in IPython, if this runs there, for a NameError at a cell's top level."""
    try:
        from IPython import get_ipython
    except ImportError:
        return
    shell = get_ipython()
    if shell is None:
        return

    def explain(shell, kind, error, traceback, tb_offset=None):
        at_top_level = traceback.tb_next is None or traceback.tb_next.tb_next is None
        if at_top_level and getattr(error, "name", None) is not None:
            if "tests.guess(" in shell.user_ns["In"][-1]:
                sentence = f'NameError: a word that you guess needs quotes: "{error.name}".'
            else:
                sentence = (
                    f"NameError: {error.name} is not defined yet: run the cells above this one first "
                    "(menu Run > Run All Above Selected Cell)."
                )
            # IPython calls this method for the lines to print.
            error._render_traceback_ = lambda: [sentence]
        shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)

    shell.set_custom_exc((NameError,), explain)
