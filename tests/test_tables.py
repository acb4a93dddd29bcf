from course_utils.tables import Table


def test_a_table_is_aligned_in_a_terminal_and_drawn_in_a_notebook():
    table = Table(("game", "lost"), {"tic-tac-toe": 0, "go": 12}.items())
    assert str(table) == "game         lost\ntic-tac-toe  0\ngo           12"
    assert table._repr_markdown_() == "| game | lost |\n| --- | --- |\n| tic-tac-toe | 0 |\n| go | 12 |"
