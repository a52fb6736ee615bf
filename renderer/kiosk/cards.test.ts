import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { BrandCard, messageParts } from './cards';

const drawn = (language: string) =>
  renderToStaticMarkup(createElement(BrandCard, { visible: true, language }));

test.each([
  ['en', 'Enjoy your shopping.'],
  ['de', 'Viel Freude beim Einkaufen.'],
  ['de-AT', 'Viel Freude beim Einkaufen.'],
  ['fr', 'Enjoy your shopping.'],
])('the brand card greets in the language of the settings: %s', (language, greeting) => {
  expect(drawn(language)).toContain(greeting);
});

test('indented lines are points, with the setting they speak of', () => {
  const text = [
    'The settings in /etc/endcap/config.json cannot be used:',
    '  service.baseUrl: Missing; expected an address such as https://ads.example.com.',
    '  ads.params[0].x-y: Unknown setting.',
    '  Line 4, column 5: expected "}".',
  ].join('\n');
  expect(messageParts(text)).toEqual({
    paragraphs: ['The settings in /etc/endcap/config.json cannot be used:'],
    points: [
      { setting: 'service.baseUrl', words: 'Missing; expected an address such as https://ads.example.com.' },
      { setting: 'ads.params[0].x-y', words: 'Unknown setting.' },
      { setting: null, words: 'Line 4, column 5: expected "}".' },
    ],
  });
});

test('a message of plain lines has paragraphs only', () => {
  expect(messageParts('Not set up.\n\nWrite the settings.')).toEqual({
    paragraphs: ['Not set up.', 'Write the settings.'],
    points: [],
  });
});
