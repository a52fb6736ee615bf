import { resolve } from 'node:path';

/**
 * The kiosk's own arguments, as far as the launcher has to know them.
 * @typedef {object} KioskArguments
 * @property {string | null} config absolute
 * @property {string | null} dataDir absolute
 * @property {string[]} others passed on untouched, in their order
 */

/**
 * @param {string[]} args
 * @param {string} from the folder that relative paths are relative to
 * @returns {KioskArguments} the last one counts where an argument is repeated
 */
export function readKioskArguments(args, from) {
  /** @type {KioskArguments} */
  const read = { config: null, dataDir: null, others: [] };
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const [, name, attached] = /^--(config|data-dir)(?:=(.*))?$/s.exec(arg) ?? [];
    const value = attached ?? args[index + 1];
    if (name === undefined || value === undefined || value === '') {
      read.others.push(arg);
      continue;
    }
    if (attached === undefined) index += 1;
    read[name === 'config' ? 'config' : 'dataDir'] = resolve(from, value);
  }
  return read;
}

/**
 * @param {KioskArguments} read
 * @returns {string[]}
 */
export function writeKioskArguments({ config, dataDir, others }) {
  return [
    ...(config === null ? [] : [`--config=${config}`]),
    ...(dataDir === null ? [] : [`--data-dir=${dataDir}`]),
    ...others,
  ];
}
