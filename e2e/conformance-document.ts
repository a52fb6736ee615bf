import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NamedTest } from './test-titles';

/** One requirement of the interface, and the tests that show that the kiosk meets it. */
export interface Requirement {
  /** Unique; names the place in the interface, such as `FrequencyCap.limit`. */
  readonly id: string;
  readonly shownBy: readonly NamedTest[];
}

export const CONFORMANCE = readFileSync(join(__dirname, '../docs/conformance.md'), 'utf8');

const ROW = /^\| `([^`]+)` \| .* \| (.*) \|$/gm;
/** Text that contains backticks itself has two of them on each side. */
const CODE = /`` (.+?) ``|`([^`]+)`/g;

/** The rows of docs/conformance.md; the last cell of each has lines of a file and the titles of its tests. */
export const REQUIREMENTS: readonly Requirement[] = [...CONFORMANCE.matchAll(ROW)].map(
  ([, id = '', tests = '']) => ({
    id,
    shownBy: tests.split('<br>').map((line) => {
      const [file = '', ...titles] = [...line.replaceAll('\\|', '|').matchAll(CODE)].map(
        ([, doubled, single = '']) => doubled ?? single,
      );
      return { file, titles };
    }),
  }),
);
