import { expect, it } from 'vitest';
import { fillBlanks } from './sql-files';

it('a blank in a file of SQL is filled in, and an unknown one is an error that names both', () => {
  const sql = `-- A comment with \${nothing}.\nSELECT \${one}\${empty}, \${on}`;
  expect(fillBlanks('some.sql', sql, { one: '1', empty: '', on: '2' })).toBe('SELECT 1, 2');
  expect(() => fillBlanks('some.sql', sql, { one: '1', empty: '' })).toThrow(
    `some.sql has the blank \${on}, which nothing fills in: expected one of \${one}, \${empty}`,
  );
});
