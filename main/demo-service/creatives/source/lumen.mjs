// Lumen hand cream: lilac, plum, rose gold.
import { at, gradient, lines, radial, softShadow, text } from './svg.mjs';

const PLUM = '#3d2257';

/** The tube, standing on its cap, about 220 wide and 640 high, centred. */
const tube = () => `
<defs>
${gradient('lu-tube', [0, 0, 1, 0], [[0, '#b79bd6'], [0.25, '#efe3fb'], [0.5, '#d9c3f0'], [1, '#9a79c0']])}
${gradient('lu-cap', [0, 0, 1, 0], [[0, '#b8796a'], [0.3, '#f6cdbd'], [0.6, '#d99c88'], [1, '#9c5d4f']])}
${softShadow('lu-shadow', 20)}
</defs>
<ellipse cx="0" cy="322" rx="170" ry="22" fill="${PLUM}" opacity=".4" filter="url(#lu-shadow)"/>
<path d="M-116 -318H116L92 208H-92Z" fill="url(#lu-tube)"/><rect x="-118" y="-330" width="236" height="34" rx="5" fill="#8e6bb8"/>
<rect x="-84" y="206" width="168" height="112" rx="12" fill="url(#lu-cap)"/>
<path d="M-80 -290L-62 200" stroke="#fff" stroke-width="16" opacity=".45" stroke-linecap="round"/>
${text(0, -90, 66, 'Lumen', { font: 'EB Garamond', weight: 500, fill: PLUM, anchor: 'middle', style: 'italic' })}
<path d="M-40 -52H40" stroke="#b8796a" stroke-width="3"/>
${text(0, -18, 17, 'HAND CREAM', { font: 'Karla', weight: 600, fill: PLUM, anchor: 'middle', spacing: 0.2 })}
${text(0, 160, 20, '75 ml', { font: 'Karla', weight: 600, fill: PLUM, anchor: 'middle' })}
`;

const petal = (x, y, turn, size, fill) =>
  `<path d="M0 0C50 -60 50 -150 0 -200C-50 -150 -50 -60 0 0Z" transform="translate(${x} ${y}) rotate(${turn}) scale(${size})" fill="${fill}"/>`;

const bloom = (x, y, size, turn = 0) =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${size})">${[0, 60, 120, 180, 240, 300].map((angle) => petal(0, 0, angle, 1, '#c9a6ea')).join('')}${[30, 90, 150, 210, 270, 330].map((angle) => petal(0, 0, angle, 0.72, '#e2cbf7')).join('')}<circle r="34" fill="#f6cdbd"/></g>`;

export function poster({ W, H, portrait }) {
  const [cx, cy, scale] = portrait ? [650, 1385, 1.22] : [1400, 540, 1.36];
  const head = { font: 'EB Garamond', weight: 500, style: 'italic', fill: PLUM, spacing: -0.02 };
  return `<defs>${gradient('lu-back', [0, 0, 1, 1], [[0, '#f4e9fb'], [0.6, '#dcc4f0'], [1, '#bf9be0']])}${radial('lu-halo', [[0, '#ffffff', 0.9], [1, '#ffffff', 0]])}</defs>
<rect width="${W}" height="${H}" fill="url(#lu-back)"/><circle cx="${cx}" cy="${cy}" r="620" fill="url(#lu-halo)"/>
${bloom(cx - 320, cy + 330, 1.05, 10)}${bloom(cx + 330, cy + 180, 0.85, 30)}${bloom(cx + 250, cy - 380, 0.6, 0)}
${at(cx, cy, scale, 7, tube())}
${bloom(cx - 130, cy + 440, 0.7, 24)}
${lines(portrait ? 84 : 112, portrait ? 270 : 340, portrait ? 220 : 214, 0.94, portrait ? ['Long', 'winter.', 'Soft', 'hands.'] : ['Long winter.', 'Soft hands.'], head)}
${text(portrait ? 90 : 120, portrait ? 1840 : 720, 56, 'Shea, oat and a little rose.', { font: 'Karla', weight: 600, fill: PLUM })}
${text(portrait ? 88 : 120, portrait ? 1740 : 880, portrait ? 120 : 120, '4.90', { font: 'EB Garamond', weight: 700, fill: '#9c5d4f', more: 'style="font-variant-numeric:lining-nums"' })}`;
}
