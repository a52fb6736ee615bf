import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { imageSize } from 'image-size';
import { expect, test } from 'vitest';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'icons');

test('the icons of the AppImage have the sizes that their names say, up to 512', () => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.png'));
  for (const name of names) {
    const { width, height, type } = imageSize(readFileSync(join(folder, name)));
    expect({ type, name: `${width}x${height}.png` }).toEqual({ type: 'png', name });
  }
  expect(names).toEqual(expect.arrayContaining(['16x16.png', '48x48.png', '256x256.png', '512x512.png']));
});

test('the icon for Windows has all sizes up to 256, as the installer requires', () => {
  const { images = [] } = imageSize(readFileSync(join(folder, 'icon.ico')));
  expect(images.map(({ width }) => width)).toEqual([16, 24, 32, 48, 64, 128, 256]);
});
