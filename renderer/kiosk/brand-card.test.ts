import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { BrandCard } from './brand-card';

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
