// Hearth & Pot tomato soup: tomato red, cream, basil.
import { gradient, lines, priceTag, radial, softShadow, text } from './svg.mjs';

const CREAM = '#fff1dc';

const leaf = (x, y, turn, size) =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${size})"><path d="M0 0C30 -40 90 -44 130 -6C96 30 40 34 0 0Z" fill="#2f7a3d"/><path d="M0 0C30 -40 90 -44 130 -6C80 -10 40 -8 0 0Z" fill="#4da35a"/><path d="M6 -1C46 -8 84 -10 122 -6" stroke="#d8efc8" stroke-width="4" fill="none" opacity=".7"/></g>`;

const crumb = (x, y, turn, size) =>
  `<rect x="-17" y="-17" width="34" height="34" rx="9" transform="translate(${x} ${y}) rotate(${turn}) scale(${size})" fill="#e8b25c" stroke="#b9792a" stroke-width="5"/>`;

/** The bowl from above, 1 unit per pixel at radius 460. */
const bowl = () => `
<defs>
${radial('hp-soup', [[0, '#ff7a3c'], [0.6, '#ee4d22'], [1, '#c52d14']])}
${radial('hp-rim', [[0.8, '#31405c'], [0.9, '#3d5075'], [1, '#1e2a40']])}
${softShadow('hp-shadow', 34)}
</defs>
<circle cx="26" cy="54" r="466" fill="#2a0505" opacity=".55" filter="url(#hp-shadow)"/>
<circle r="460" fill="url(#hp-rim)"/><circle r="430" fill="none" stroke="#6f86b3" stroke-opacity=".5" stroke-width="8"/>
<circle r="396" fill="#16203200"/><circle r="392" fill="#1c273b"/><circle cy="8" r="380" fill="url(#hp-soup)"/>
<path d="M-300 -150A340 340 0 0 1 60 -330" fill="none" stroke="#ffb48a" stroke-width="20" stroke-linecap="round" opacity=".55"/>
<g fill="none" stroke="${CREAM}" stroke-linecap="round">
<path d="M-190 60C-200 -110 40 -200 150 -90S160 170 10 170S-130 20 -20 -10S110 60 40 84" stroke-width="40"/>
<path d="M-190 60C-196 130 -150 190 -90 220" stroke-width="26"/><path d="M-90 220C-60 236 -30 244 0 246" stroke-width="14"/>
</g>
${leaf(-40, -40, -34, 1.15)}${leaf(-30, -10, 28, 1)}${leaf(-34, -20, 196, 0.9)}
${crumb(210, -150, 20, 1.3)}${crumb(250, -60, -14, 1.1)}${crumb(200, 190, 36, 1.25)}${crumb(-230, -90, 12, 1.2)}${crumb(-170, -210, 50, 1.1)}${crumb(-260, 40, -30, 1)}
${[[90, -250], [-120, -280], [280, 70], [-60, 300], [120, 280], [-250, 160]].map(([x, y]) => `<circle cx="${x}" cy="${y}" r="7" fill="#5c1408"/>`).join('')}
`;

const spoon = () =>
  `<g><path d="M-20 90H20L26 640Q0 672 -26 640Z" fill="#d9b26f"/><path d="M-8 90H6L10 640H-6Z" fill="#f0d59d"/><ellipse rx="84" ry="118" fill="#d9b26f"/><ellipse cx="-4" cy="-4" rx="62" ry="92" fill="#b88d4b"/><ellipse cx="-10" cy="-12" rx="50" ry="78" fill="#c79d59"/></g>`;

const rain = (W, H) =>
  Array.from({ length: 46 }, (_, index) => {
    const x = (index * 0.618034 * W) % W;
    const y = (index * 0.414214 * H * 1.7) % H;
    return `<path d="M${x.toFixed(0)} ${y.toFixed(0)}l-16 62" stroke="#fff" stroke-opacity=".1" stroke-width="6" stroke-linecap="round"/>`;
  }).join('');

export function poster({ W, H, portrait }) {
  const head = { font: 'Yanone Kaffeesatz', weight: 700, fill: CREAM, spacing: -0.01 };
  const [cx, cy, scale] = portrait ? [545, 1415, 1.05] : [1370, 560, 1.08];
  return `<defs>${gradient('hp-back', [0, 0, 0.7, 1], [[0, '#5c0d12'], [0.6, '#94161a'], [1, '#b3261d']])}</defs>
<rect width="${W}" height="${H}" fill="url(#hp-back)"/>${rain(W, H)}
<g transform="translate(${cx} ${cy}) scale(${scale})">${bowl()}</g>
<g transform="translate(${portrait ? 990 : 1838} ${portrait ? 1250 : 430}) rotate(${portrait ? 8 : 6}) scale(${portrait ? 0.95 : 0.92})">${spoon()}</g>
${text(portrait ? 84 : 112, portrait ? 140 : 150, 58, 'HEARTH &amp; POT', { font: 'Karla', weight: 800, fill: '#ffb27a', spacing: 0.14 })}
${lines(portrait ? 80 : 108, portrait ? 350 : 370, portrait ? 250 : 236, 0.84, ['Come in', 'from the', 'rain.'], head)}
${
  portrait
    ? priceTag(880, 690, 150, '2.49', '570 ml', { fill: '#ffc24a', ink: '#5c0d12', font: 'Karla' })
    : priceTag(800, 880, 126, '2.49', '570 ml', { fill: '#ffc24a', ink: '#5c0d12', font: 'Karla' })
}
${text(portrait ? 84 : 114, portrait ? 870 : 880, 54, portrait ? 'Slow-roasted tomato soup.' : 'Slow-roasted', { font: 'Karla', weight: 600, fill: CREAM })}${portrait ? '' : text(114, 950, 54, 'tomato soup.', { font: 'Karla', weight: 600, fill: CREAM })}`;
}
