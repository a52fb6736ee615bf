// Solara peach iced tea: peach, coral, sun yellow.
import { at, easeOut, gradient, overshoot, priceTag, radial, rising, softShadow, text, wave } from './svg.mjs';

const CORAL = '#e8413f';
const SUN = '#ffd84d';
const DEEP = '#7d1630';

/** The bottle, about 230 wide and 680 high, centred. */
const bottle = (t = 0) => `
<defs>
${gradient('so-tea', [0, 0, 1, 0], [[0, '#b64a12'], [0.22, '#f08a2c'], [0.5, '#ffb04f'], [0.8, '#e57420'], [1, '#9c3a0c']])}
${gradient('so-cap', [0, 0, 1, 0], [[0, '#b3262e'], [0.35, '#ff6a5c'], [1, '#8f1a28']])}
${softShadow('so-shadow', 20)}
<clipPath id="so-body"><path d="M-46 -270V-214C-46 -160 -112 -150 -112 -70V280Q-112 322 -70 322H70Q112 322 112 280V-70C112 -150 46 -160 46 -214V-270Z"/></clipPath>
</defs>
<ellipse cx="0" cy="326" rx="180" ry="22" fill="#7d1630" opacity=".45" filter="url(#so-shadow)"/>
<rect x="-56" y="-336" width="112" height="66" rx="12" fill="url(#so-cap)"/>
<g clip-path="url(#so-body)">
<rect x="-120" y="-280" width="240" height="620" fill="#ffe7cf" opacity=".85"/>
<path d="M-120 ${-170 + 5 * wave(t, 1.9)}Q-40 ${-180 - 6 * wave(t, 1.9)} 0 -172T120 ${-170 - 5 * wave(t, 1.9)}V340H-120Z" fill="url(#so-tea)"/>
<rect x="-120" y="-52" width="240" height="250" fill="#fff6e8"/>
<g transform="translate(0 12)"><circle cx="0" cy="112" r="66" fill="#ff9d6b"/><path d="M-66 112A66 66 0 0 1 0 46Q-34 96 -20 175A66 66 0 0 1 -66 112Z" fill="#ff7a52"/><path d="M4 44Q40 4 76 26Q50 58 4 44Z" fill="#4f9d55"/></g>
<rect x="-90" y="-240" width="20" height="560" rx="10" fill="#fff" opacity=".35"/>
</g>
${text(0, 18, 68, 'Solara', { font: 'Lobster Two', weight: 700, fill: CORAL, anchor: 'middle', style: 'italic' })}
${text(0, 240, 22, 'PEACH ICED TEA', { font: 'Quicksand', weight: 700, fill: '#fff6e8', anchor: 'middle', spacing: 0.04 })}
`;

const peachHalf = (x, y, turn, size) =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${size})"><circle r="120" fill="#ff8a5c"/><circle r="106" fill="#ffd08a"/><circle r="92" fill="#ffbd6b"/><ellipse rx="34" ry="44" fill="#8a3a1f"/><ellipse cx="-8" cy="-8" rx="20" ry="28" fill="#a8502c"/></g>`;

const iceCube = (x, y, turn, size) =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${size})"><rect x="-56" y="-56" width="112" height="112" rx="24" fill="#fff" opacity=".5"/><rect x="-56" y="-56" width="112" height="112" rx="24" fill="none" stroke="#fff" stroke-width="6"/><path d="M-30 -30Q-26 -36 -10 -36" stroke="#fff" stroke-width="9" stroke-linecap="round" fill="none"/></g>`;

/** The film: the sun turns, ice drops in, the line answers itself. */
export function film({ W, H, portrait, t }) {
  const [cx, cy, scale] = portrait ? [560, 1270, 1.42] : [1400, 560, 1.28];
  const sun = portrait ? { x: 560, y: 1130, r: 400 } : { x: 1400, y: 500, r: 380 };
  const rays = Array.from({ length: 20 }, (_, index) => {
    const turn = index * 18 + t * 7;
    return `<path d="M-34 -${sun.r + 40}L-90 -2200H90L34 -${sun.r + 40}Z" transform="translate(${sun.x} ${sun.y}) rotate(${turn})" fill="#fff" opacity=".13"/>`;
  }).join('');
  const fall = (from) => overshoot(t, from, 0.8);
  const drop = (from, x, y, turn, size) => {
    const p = fall(from);
    return p <= 0 ? '' : iceCube(x, y - (1 - p) * 900 + 8 * wave(t, 2.7, from), turn + 30 * (1 - p) + 5 * wave(t, 3.3, from), size);
  };
  const script = { font: 'Lobster Two', weight: 700, style: 'italic', spacing: -0.01 };
  const size = portrait ? 230 : 240;
  const x = portrait ? 80 : 120;
  const tag = overshoot(t, 3, 0.6);
  return `<defs>${gradient('so-back', [0, 0, 0.5, 1], [[0, '#ffc98f'], [0.5, '#ff9a6b'], [1, '#ff6f68']])}${radial('so-sun', [[0, '#fff3b0'], [0.7, SUN], [1, '#ffc93a']])}</defs>
<rect width="${W}" height="${H}" fill="url(#so-back)"/>${rays}
<circle cx="${sun.x}" cy="${sun.y}" r="${sun.r + 8 * wave(t, 2.5)}" fill="url(#so-sun)"/>
${peachHalf(cx - 330, cy + 330, -12 + 4 * wave(t, 4), portrait ? 1.35 : 1.15)}
${peachHalf(cx + 330, cy + 250, 20 + 4 * wave(t, 4.4, 1), portrait ? 1.1 : 0.95)}
${at(cx, cy + 6 * wave(t, 3), scale, -3 + 2 * wave(t, 3.6), bottle(t))}
${drop(0.9, cx - 290, cy - 40, -16, 1.25)}${drop(1.2, cx + 280, cy - 150, 22, 1.05)}${drop(1.5, cx + 210, cy + 390, 10, 1.3)}
${rising(t, -0.4, x, portrait ? 300 : 330, size, 'Sun out?', { ...script, fill: '#fff' })}
${rising(t, 1.1, x, portrait ? 530 : 580, size, 'Ice in.', { ...script, fill: DEEP })}
${portrait ? text(84, 640, 56, 'Peach iced tea, lightly sweet.', { font: 'Quicksand', weight: 700, fill: DEEP, opacity: easeOut(t, 2.1, 0.6) }) : text(128, 720, 58, 'Peach iced tea,', { font: 'Quicksand', weight: 700, fill: DEEP, opacity: easeOut(t, 2.1, 0.6) }) + text(128, 796, 58, 'lightly sweet.', { font: 'Quicksand', weight: 700, fill: DEEP, opacity: easeOut(t, 2.3, 0.6) })}
${tag > 0 ? priceTag(portrait ? 905 : 770, portrait ? 850 : 890, portrait ? 140 : 132, '1.49', '0.5 litre', { fill: CORAL, ink: '#fff', scale: tag, font: 'Quicksand' }) : ''}`;
}
