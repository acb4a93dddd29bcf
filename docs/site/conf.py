"""Sphinx's settings for the web site. `course_utils/authoring/book.py` lays out what it reads: `make site`."""

from course_utils import __version__
from course_utils.authoring.book import looks, picture
from course_utils.material.address import GITHUB, address
from course_utils.ui.document import with_zero

project = "Build AlphaZero from nothing"
author = "The authors of the course"
copyright = "the authors of the course; texts and pictures under CC BY 4.0, code under the MIT license"
release = __version__
language = "en"

templates_path = ["_templates"]
extensions = ["myst_nb", "sphinx.ext.mathjax"]
nb_execution_mode = "off"
nb_merge_streams = True
nb_render_markdown_format = "myst"
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 4
myst_heading_slug_func = "course_utils.authoring.book.anchor"
myst_links_external_new_tab = False
highlight_language = "none"  # of what does not say

html_theme = "sphinx_book_theme"
html_title = project
html_static_path = ["_static"]
html_favicon = "_static/icon.svg"
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
mathjax_path = "mathjax/tex-chtml.js"  # beside the pages: nothing is fetched from elsewhere

html_theme_options = {
    "logo": {"text": project, "image_light": "_static/icon.svg", "image_dark": "_static/icon.svg"},
    "show_toc_level": 2,
    "navbar_persistent": [],
    "footer_content_items": ["copyright"],
    "use_download_button": False,
    "use_fullscreen_button": False,
    "secondary_sidebar_items": {"**": ["page-toc"]},
}
html_context = {"default_mode": "auto"}
if (there := address()) and there.startswith(GITHUB):
    html_theme_options |= {
        "repository_url": there,
        "repository_branch": "main",
        "use_repository_button": True,
        "launch_buttons": {"colab_url": "https://colab.research.google.com"},
    }


def setup(app):
    app.connect("html-page-context", in_its_words)


def in_its_words(app, page, template, context, doctree):
    """The landing page has a template of its own. On the others a fold is called what stands on it, and not "Toggle hidden content"."""
    if page == "index":
        context |= {"looks": looks(), "picture": picture(), "project": project, "body": with_zero(context["body"])}
        return "landing.html"
    if "body" in context:
        context["body"] = context["body"].replace(' aria-label="Toggle hidden content"', "")
    return None
