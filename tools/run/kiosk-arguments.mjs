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
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    const [, name, attached] = /^--(config|data-dir)(?:=(.*))?$/s.exec(arg) ?? [];
    const value = attached ?? left[0];
    if (!name || !value) read.others.push(arg);
    else read[name === 'config' ? 'config' : 'dataDir'] = resolve(from, value);
    if (name && value && attached === undefined) left.shift();
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
