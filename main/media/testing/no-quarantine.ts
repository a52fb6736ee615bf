import type { Quarantine } from '../kept-quarantine';

/** Knows of no harm: for tests of what a quarantine is not about. */
export const noQuarantine: Pick<Quarantine, 'msFor' | 'all' | 'onChange'> = {
  msFor: () => 0,
  all: () => [],
  onChange() {},
};
