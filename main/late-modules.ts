// Modules of Node's that are loaded when they are first used: they take 9 ms, and the first picture needs none of them.

export const http = () => process.getBuiltinModule('node:http');
export const tls = () => process.getBuiltinModule('node:tls');
export const workers = () => process.getBuiltinModule('node:worker_threads');
export const zlib = () => process.getBuiltinModule('node:zlib');
