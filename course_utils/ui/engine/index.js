// The engine, whole: a small AlphaZero without Python, in a page, in a worker or in node. A page gets the same files as
// one script (ui/engine_script.py), since no browser imports a module from a file.

export * from "./games.js";
export * from "./networks.js";
export * from "./puct.js";
export * from "./self_play.js";
export * from "./training.js";
export * from "./agents.js";
