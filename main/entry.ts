import { join } from 'node:path';
import { loadProgram } from './compiled/load-program';

// The program is index.ts; it comes with what V8 has compiled of it.
let told = false;
loadProgram(join(__dirname, 'index.js'), {
  requireOther: require,
  onMisfit: (file) => {
    if (told) return;
    told = true;
    console.warn(
      `Endcap starts slower: what is compiled of ${file} does not fit this Electron and its flags.`,
    );
  },
});
