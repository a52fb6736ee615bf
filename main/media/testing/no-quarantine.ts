import type { Quarantine } from '../quarantine-store';

/** A quarantine without any strikes, for tests of other things. */
export const noQuarantine: Pick<Quarantine, 'msFor' | 'all' | 'onChange'> = {
  msFor: () => 0,
  all: () => [],
  onChange() {},
};
