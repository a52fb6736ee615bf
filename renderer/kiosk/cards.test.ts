import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { BrandCard, firstLines } from './cards';

const drawn = (language: string) => renderToStaticMarkup(createElement(BrandCard, { language }));

test.each([
  ['en', 'Enjoy your shopping.'],
  ['de', 'Viel Freude beim Einkaufen.'],
  ['de-AT', 'Viel Freude beim Einkaufen.'],
  ['fr', 'Enjoy your shopping.'],
])('the brand card greets in the language of the settings: %s', (language, greeting) => {
  expect(drawn(language)).toContain(greeting);
});

test('a message shows its first lines with their indentation, and how many more there are', () => {
  const points = Array.from({ length: 12 }, (_, index) => `  setting${index}: Missing.`);
  const { lines, more } = firstLines(['The settings cannot be used:', '', ...points].join('\n'));
  expect(lines.slice(0, 2)).toEqual(['The settings cannot be used:', '  setting0: Missing.']);
  expect(lines.length + more).toBe(13);
});

test('a short message is shown completely', () => {
  expect(firstLines('Not set up.\n\nWrite the settings.')).toEqual({
    lines: ['Not set up.', 'Write the settings.'],
    more: 0,
  });
});

test('a line that a message repeats is shown once', () => {
  expect(firstLines('ads.zones: Missing.\nads.zones: Missing.\nUnknown setting.')).toEqual({
    lines: ['ads.zones: Missing.', 'Unknown setting.'],
    more: 0,
  });
});
