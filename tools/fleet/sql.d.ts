/** The bundle of tools/fleet contains SQL files as text. */
declare module '*.sql?raw' {
  const text: string;
  export default text;
}
