/** SQL files are read as text when tools/fleet is bundled. */
declare module '*.sql?raw' {
  const text: string;
  export default text;
}
