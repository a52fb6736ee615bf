import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REQUIREMENTS } from './conformance-document';
import { namedTests } from './named-tests';
import { missingTests } from './test-titles';

const root = join(__dirname, '..');
const DOCUMENTS = ['docs/accessibility.md', 'docs/privacy.md', 'docs/security.md'];

// One test for all documents, because the runners load every named file.
it('every test that a document names exists, by file and title', async () => {
  const named = DOCUMENTS.flatMap((document) => namedTests(readFileSync(join(root, document), 'utf8')));
  const shown = REQUIREMENTS.flatMap(({ shownBy }) => shownBy);
  expect(await missingTests(root, [...named, ...shown])).toEqual([]);
});
