import { afterEach, expect, it, vi } from 'vitest';
import type { NativeCardContent } from '../../shared/native';
import { CardHost } from './card-host';
import { KeptPictures } from './kept-pictures';
import { decodedCard } from './native-card/decoded-card';

vi.mock('./native-card/decoded-card');
vi.mock('./card-root', () => ({ openCardRoot: () => ({ draw: () => null, clear() {} }) }));

afterEach(() => vi.unstubAllGlobals());

it('holds the pictures of a card that could be decoded: each showing would leave them behind once more', async () => {
  vi.stubGlobal('document', { createElement: () => ({}) });
  const content = {
    picture: { kind: 'image', url: 'media://cache/picture' },
    icon: null,
    contentInfo: { text: '', icon: 'media://cache/info' },
  } as NativeCardContent;
  vi.mocked(decodedCard).mockResolvedValue(content);
  const pictures = new KeptPictures((url) => url);
  const host = new CardHost(pictures);
  await host.show(
    { ...content, icon: 'media://cache/broken' },
    'en',
    () => {},
    () => true,
  );
  await host.show(
    content,
    'en',
    () => {},
    () => true,
  );
  expect(pictures.addresses).toEqual(['media://cache/picture', 'media://cache/info']);
});
