"""A solver for Hex on small boards, as bits: a plan's cells say which replies can't spoil it ("must play")."""

from functools import cache

Plan = tuple[
    bool, int, int
]  # whether the player to move wins, the free cells that the winner's plan needs, its first move or -1


def bits(board: int):
    while board:
        yield (board & -board).bit_length() - 1
        board &= board - 1


class Solver:
    def __init__(self, size: int):
        self.size, self.full = size, (1 << size * size) - 1
        steps = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1))
        self.near = [
            sum(1 << (r + down) * size + c + right for down, right in steps if 0 <= r + down < size and 0 <= c + right < size)
            for r in range(size)
            for c in range(size)
        ]  # fmt: skip
        row, column = (1 << size) - 1, sum(1 << r * size for r in range(size))
        self.sides = {1: (row, row << size * (size - 1)), -1: (column, column << size - 1)}
        self.solve = cache(self.solve)

    def missing(self, mine: int, free: int, player: int) -> int:
        """How many stones the player needs to connect if the opponent passes."""
        begin, end = self.sides[player]
        reached, front, stones = 0, begin, 0
        while True:
            while step := front & mine & ~reached:  # along stones for nothing
                reached |= step
                for cell in bits(step):
                    front |= self.near[cell]
            if reached & end:
                return stones
            stones += 1
            reached |= (step := front & free & ~reached)
            if not step:
                return 99
            if reached & end:
                return stones
            for cell in bits(step):
                front |= self.near[cell]

    def bridges(self, mine: int, free: int, cell: int) -> int:
        """The stones that are two steps away with two free cells between."""
        return sum(
            not self.near[stone] >> cell & 1 and (self.near[stone] & self.near[cell] & free).bit_count() == 2
            for stone in bits(mine)
        )

    def solve(self, mine: int, theirs: int, player: int) -> Plan:
        """`player`, whose stones are `mine`, is to move."""
        free = self.full & ~(mine | theirs)
        if self.missing(theirs, free, -player) == 0:
            return False, 0, -1

        def promise(cell: int) -> int:
            left = free & ~(1 << cell)
            lead = self.missing(theirs, left, -player) - self.missing(mine | 1 << cell, left, player)
            row, column = divmod(cell, self.size)
            from_center = abs(row - self.size // 2) + abs(column - self.size // 2)
            return 100 * lead + 30 * self.bridges(mine, free, cell) - from_center

        order, must, needed, reply = sorted(bits(free), key=promise, reverse=True), free, 0, -1
        while must:
            cell = reply if reply >= 0 and must >> reply & 1 else next(cell for cell in order if must >> cell & 1)
            they_win, plan, reply = self.solve(theirs, mine | 1 << cell, -player)
            if not they_win:
                return True, plan | 1 << cell, cell
            must &= plan & ~(1 << cell)  # whatever lies outside of their plan does not stop it
            needed |= plan
        return False, needed, -1

    def first_player_wins(self, cell: int) -> bool:
        return not self.solve(0, 1 << cell, -1)[0]
