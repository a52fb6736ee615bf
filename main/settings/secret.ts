import { isOtherEncoding } from './json-syntax';

const HIDDEN = '[secret]';

/**
 * A value that must never be printed (rule 23): logging, JSON, string templates
 * and `util.inspect` all show `[secret]`. Only `reveal()` gives it away, so
 * every place that does can be found by that name.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. For the wire only: never for a log, an error or a status. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN;
  }
}

/**
 * Reads the secret in the text of a file with one line.
 *
 * @param expected what the file should contain, for the error message
 */
export const secretIn =
  (expected: string) =>
  (text: string, file: string): Secret | string => {
    const secret = text.replace(/\r?\n$/, '');
    if (isOtherEncoding(secret))
      return `The file ${file} is not text in UTF-8; expected ${expected} in that encoding.`;
    if (secret === '') return `The file ${file} is empty; expected ${expected}.`;
    if (secret.length > 4096 || /[\r\n]/.test(secret))
      return `The file ${file} holds several lines or more than 4096 characters; expected ${expected} on one line.`;
    return new Secret(secret);
  };
