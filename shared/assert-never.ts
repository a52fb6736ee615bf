/** Makes a forgotten case a compile error; reaching it at run time is a bug. */
export function assertNever(value: never): never {
  throw new Error(`unexpected: ${JSON.stringify(value)}`);
}
