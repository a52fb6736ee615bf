// The commands of package.json: node tools/run/index.mjs COMMAND …
// A file of its own, because Node has to be taught TypeScript before it can read any.
import './typescript.mjs';

await import('./commands.ts');
