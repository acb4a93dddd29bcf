"""The engine's modules (`engine/*.js`) as one script: a browser imports no module from a file that no server sends."""

import re

from course_utils.ui.component import FOLDER

ENGINE = FOLDER / "engine"
IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:const|class|function) (\w+))", re.MULTILINE)
PARTS = re.compile(r'^export \* from "\./(\w+\.js)";$', re.MULTILINE)


def engine_script() -> str:
    """`engine`: what the modules export, by its names; and `makeEngine`, whose text a worker can be made of."""
    parts = [(ENGINE / name).read_text("utf-8") for name in PARTS.findall((ENGINE / "index.js").read_text("utf-8"))]
    names = [name for source in parts for name in EXPORT.findall(source)]
    body = "\n".join(EXPORT.sub("", IMPORT.sub("", source)) for source in parts)
    return f"function makeEngine() {{\n{body}\nreturn {{ {', '.join(names)} }};\n}}\nconst engine = makeEngine();\n"
