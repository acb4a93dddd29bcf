// Games in which n in a row win: tic-tac-toe, and Connect N, where stones fall. The names are those of
// games/protocol.py.

const LARGEST_BOARD = 100; // cells

/**
 * A state has `cells` (row by row from the top: 1, -1 or 0), `to_play`, `winner` (0 while neither side has won) and `moves`,
 * the number of stones.
 */
export class LineGame {
  constructor({ name, rows, columns, n, gravity }) {
    const whole = [rows, columns, n].every((size) => Number.isInteger(size) && size > 0);
    if (!whole || rows * columns > LARGEST_BOARD || n < 2 || n > Math.max(rows, columns)) throw new Error("there is no such board");
    Object.assign(this, { name: String(name), rows, columns, n, gravity: Boolean(gravity), planes: 2 });
    this.num_actions = gravity ? columns : rows * columns;
    this.lines = lines_of(rows, columns, n);
    this.through = Array.from({ length: rows * columns }, (_, cell) => this.lines.filter((line) => line.includes(cell)));
  }

  // --- the rules

  initial_state() {
    return { cells: new Int8Array(this.rows * this.columns), to_play: 1, winner: 0, moves: 0 };
  }

  legal_actions(state) {
    const legal = [];
    if (state.winner === 0) for (let action = 0; action < this.num_actions; action++) if (this.landing(state, action) >= 0) legal.push(action);
    return legal;
  }

  play(state, action) {
    const cell = state.winner === 0 ? this.landing(state, action) : -1;
    if (cell < 0) throw new Error(`action ${action} is not legal here; legal: ${listed(this.legal_actions(state))}`);
    const { to_play } = state;
    const cells = state.cells.slice();
    cells[cell] = to_play;
    const won = this.through[cell].some((line) => line.every((place) => cells[place] === to_play));
    return { cells, to_play: -to_play, winner: won ? to_play : 0, moves: state.moves + 1 };
  }

  to_play(state) {
    return state.to_play;
  }

  is_terminal(state) {
    return state.winner !== 0 || state.moves === state.cells.length;
  }

  winner(state) {
    return state.winner;
  }

  /** The cell that an action fills; -1 if it is taken, its column is full, or there is no such action. */
  landing(state, action) {
    if (!(Number.isInteger(action) && action >= 0 && action < this.num_actions)) return -1;
    if (!this.gravity) return state.cells[action] === 0 ? action : -1;
    let cell = (this.rows - 1) * this.columns + action;
    while (cell >= 0 && state.cells[cell] !== 0) cell -= this.columns;
    return cell;
  }

  // --- for the network

  /** Float32Array [2 * cells]: the stones of the player to move, then the opponent's. */
  encode(state) {
    const count = state.cells.length;
    const planes = new Float32Array(2 * count);
    for (let cell = 0; cell < count; cell++) {
      if (state.cells[cell] === state.to_play) planes[cell] = 1;
      else if (state.cells[cell] !== 0) planes[count + cell] = 1;
    }
    return planes;
  }

  /** Every equivalent [planes, policy]: turned and mirrored; where stones fall, mirrored only. */
  symmetries(planes, policy) {
    return this.turns().map(({ cells, actions }) => [
      planes.map((_, place) => planes[cells[place % cells.length] + (place < cells.length ? 0 : cells.length)]),
      policy.map((_, action) => policy[actions[action]]),
    ]);
  }

  /** For each symmetry: the cell that each cell comes from, and the action that each action comes from. */
  turns() {
    if (this.known_turns) return this.known_turns;
    const { rows, columns, gravity } = this;
    const square = !gravity && rows === columns;
    const turns = [];
    for (const quarter of square ? [0, 1, 2, 3] : gravity ? [0] : [0, 2]) {
      for (const mirrored of [false, true]) {
        const cells = Array.from({ length: rows * columns }, (_, cell) => {
          let [row, column] = [Math.floor(cell / columns), cell % columns];
          if (mirrored) column = columns - 1 - column;
          if (quarter === 2) [row, column] = [rows - 1 - row, columns - 1 - column];
          else for (let turn = 0; turn < quarter; turn++) [row, column] = [column, columns - 1 - row];
          return row * columns + column;
        });
        turns.push({ cells, actions: gravity ? cells.slice(0, columns) : cells });
      }
    }
    return (this.known_turns = turns);
  }

  // --- for the board

  action_at(row, column) {
    return this.gravity ? column : row * this.columns + column;
  }

  action_name(action) {
    return this.gravity ? `column ${action}` : `cell ${action}`;
  }

  why_illegal(state, action) {
    return this.gravity ? `Column ${action} is full: choose another.` : `Cell ${action} is taken: choose a free one.`;
  }
}

/** The cells of each line of `n`: across, down, and along both diagonals, in the order of networks/wide.py. */
export function lines_of(rows, columns, n) {
  const lines = [];
  for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const [last_row, last_column] = [row + (n - 1) * down, column + (n - 1) * right];
        if (last_row < rows && last_column >= 0 && last_column < columns)
          lines.push(Array.from({ length: n }, (_, step) => (row + step * down) * columns + column + step * right));
      }
    }
  }
  return lines;
}

/** "X.O......": a position as a text, which also is its key. */
export const text_of = (state) => Array.from(state.cells, (cell) => (cell === 0 ? "." : cell > 0 ? "X" : "O")).join("");

/** The position after these actions from the start. */
export const after = (game, actions) => actions.reduce((state, action) => game.play(state, action), game.initial_state());

const listed = (actions) => (actions.length ? `[${actions.join(", ")}]` : "none, the game is over");
