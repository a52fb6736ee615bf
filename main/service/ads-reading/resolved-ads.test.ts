import { expect, it } from 'vitest';
import { readInPlace as reading } from '../../reading/reading';
import { readResolvedAds } from './resolved-ads';
import type { VastOptions } from './vast-document';

const EXTENSION =
  '<Extensions><Extension type="service-metadata">{"request_id":"r"}</Extension></Extensions>';
const options = {
  reading,
  wrappers: {
    readDocument: (text: string, how: VastOptions) => reading.read('vast', text, how),
    schedule: () => () => {},
    fetchDocument: async () => ({
      kind: 'document' as const,
      text: '<VAST><Ad><InLine><Impression>inner</Impression></InLine></Ad></VAST>',
    }),
  },
};

it('reads a response and follows its wrappers', async () => {
  const wrapper = `<Wrapper><VASTAdTagURI>https://ads.example/</VASTAdTagURI><Impression>outer</Impression>${EXTENSION}</Wrapper>`;
  const document = `<VAST><Ad id="w">${wrapper}</Ad><Ad id="i"><InLine>${EXTENSION}</InLine></Ad></VAST>`;
  expect(await readResolvedAds(document, options)).toMatchObject({
    kind: 'ads',
    ads: [
      { id: 'w', impressions: ['inner', 'outer'] },
      { id: 'i', impressions: [] },
    ],
    rejected: [],
  });
});

it('follows nothing of a document that cannot be read', async () => {
  expect(await readResolvedAds('<VAST>', options)).toMatchObject({
    kind: 'unreadable',
    code: 'malformed-xml',
  });
});
