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
