"""AlphaZero on one page: after how long is its network, alone, proven never to lose?"""

import importlib.util
import re
import time

from course_utils.paths import NOTEBOOKS
from course_utils.results import Row
from lab.experiment import Experiment


def measure(seed: int, iterations: int) -> list[Row]:
    spec = importlib.util.spec_from_file_location("one_page", NOTEBOOKS / "alphazero_on_one_page.py")
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    lines: list[str] = []
    began = time.process_time()
    page.train(seed, iterations, lines.append)
    done = [line for line in lines if "lost ends" in line]
    first, second = map(int, re.findall(r"(\d+) \+ +(\d+)$", done[-1])[0])
    seconds = round(time.process_time() - began, 1)
    return [dict(iterations=len(done), first=first, second=second, proven=first + second == 0, seconds=seconds)]


EXPERIMENT = Experiment(
    question="AlphaZero on one page: after how long does the network alone never lose?",
    published="",
    measure=measure,
    base=dict(iterations=40),
    variants={"as it is": {}},
    quick=dict(iterations=3),
    seeds=range(10),
)
