// Icons and banners of the native ads, cut from the posters' products.
import { can as kioskoCan } from './kiosko.mjs';
import { carton, oats } from './nordhain.mjs';
import { pouch } from './papperi.mjs';
import { at, gradient, text } from './svg.mjs';

const ICON = 256;
const BANNER = { width: 1200, height: 627 };

const back = (width, height, from, to) =>
  `<defs>${gradient('nt-back', [0, 0, 1, 1], [[0, from], [1, to]])}</defs><rect width="${width}" height="${height}" fill="url(#nt-back)"/>`;

const icon = (file, from, to, product) => ({
  file,
  width: ICON,
  height: ICON,
  draw: () => back(ICON, ICON, from, to) + product,
});
const banner = (file, from, to, content) => ({ file, ...BANNER, draw: () => back(1200, 627, from, to) + content });

const checklist = (x, y, scale) =>
  at(
    x,
    y,
    scale,
    -5,
    `<rect x="-130" y="-170" width="260" height="340" rx="34" fill="#fff"/>${[0, 1, 2, 3]
      .map(
        (row) =>
          `<rect x="-96" y="${-128 + row * 68}" width="44" height="44" rx="13" fill="${row < 3 ? '#35c28a' : '#dfe5ff'}"/>${row < 3 ? `<path d="M-86 ${-106 + row * 68}l9 10 17 -20" stroke="#fff" stroke-width="7" fill="none" stroke-linecap="round" stroke-linejoin="round"/>` : ''}<rect x="-34" y="${-116 + row * 68}" width="${[120, 90, 130, 104][row]}" height="20" rx="10" fill="#c6cff5"/>`,
      )
      .join('')}`,
  );

export const PICTURES = [
  icon('native-kiosko-icon.png', '#5a2a12', '#1b0e08', at(128, 132, 0.38, 6, kioskoCan())),
  icon('native-nordhain-icon.png', '#2a6650', '#0f2b20', at(122, 142, 0.34, 0, carton())),
  icon('native-basketry-icon.png', '#5b67f2', '#2a2a8c', checklist(128, 128, 0.58)),
  icon('native-papperi-icon.png', '#2c5cd0', '#112c76', at(128, 130, 0.35, -5, pouch())),
  banner(
    'native-kiosko-banner.jpg',
    '#6a3416',
    '#160b06',
    `<circle cx="600" cy="313" r="300" fill="none" stroke="#ff8a1f" stroke-width="22"/>${at(600, 318, 0.86, -6, kioskoCan())}${at(300, 340, 0.66, -14, kioskoCan())}${at(900, 340, 0.66, 12, kioskoCan())}`,
  ),
  banner(
    'native-nordhain-banner.jpg',
    '#2a6650',
    '#0f2b20',
    `<circle cx="600" cy="330" r="290" fill="#347a60" opacity=".6"/>${at(250, 640, 1.1, -14, oats())}${at(380, 660, 0.9, 4, oats())}${at(960, 640, 1.1, 14, oats())}${at(840, 660, 0.9, -4, oats())}${at(590, 340, 0.86, 0, carton())}`,
  ),
  banner(
    'native-basketry-banner.jpg',
    '#6d78ff',
    '#23237c',
    `<circle cx="860" cy="313" r="300" fill="#fff" opacity=".1"/>${checklist(860, 320, 1.35)}${text(90, 290, 96, 'Your list,', { weight: 800, spacing: -0.04 })}${text(90, 396, 96, 'shared.', { weight: 800, spacing: -0.04, fill: '#bfe3ff' })}`,
  ),
  banner(
    'native-papperi-banner.jpg',
    '#2c5cd0',
    '#112c76',
    `<circle cx="600" cy="313" r="300" fill="#3d6be0" opacity=".7"/>${at(600, 318, 0.84, -4, pouch())}${at(310, 350, 0.6, -14, pouch())}${at(890, 350, 0.6, 12, pouch())}`,
  ),
  {
    file: 'native-contentinfo.png',
    width: 64,
    height: 64,
    draw: () =>
      `<rect width="64" height="64" rx="14" fill="#fff"/><circle cx="32" cy="32" r="22" fill="none" stroke="#3a4668" stroke-width="5"/><path d="M32 29V44" stroke="#3a4668" stroke-width="6" stroke-linecap="round"/><circle cx="32" cy="21" r="3.6" fill="#3a4668"/>`,
  },
];
