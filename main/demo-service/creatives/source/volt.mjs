// Volt Sparkling: night, lime, violet.
import { at, easeOut, gradient, overshoot, softShadow, text, wave } from './svg.mjs';

const LIME = '#d6ff3d';
const NIGHT = '#0b0b12';
const VIOLET = '#6a2cff';

const BOLT = 'M34 -150L-70 22H-8L-40 150L74 -34H10Z';

/** The can, slim, about 210 wide and 620 high, centred. */
const can = () => `
<defs>
${gradient('vo-metal', [0, 0, 1, 0], [[0, '#16161f'], [0.18, '#3b3b50'], [0.34, '#5c5c78'], [0.55, '#262633'], [1, '#08080d']])}
${gradient('vo-rim', [0, 0, 1, 0], [[0, '#62626c'], [0.3, '#f3f3f7'], [0.65, '#b3b3bd'], [1, '#4c4c55']])}
${softShadow('vo-shadow', 22)}
<clipPath id="vo-body"><path d="M-105 -262Q-105 -284 -84 -294H84Q105 -284 105 -262V266Q105 288 84 298H-84Q-105 288 -105 266Z"/></clipPath>
</defs>
<path d="M-84 294H84L76 316Q0 328 -76 316Z" fill="url(#vo-rim)"/>
<path d="M-105 -262Q-105 -284 -84 -294H84Q105 -284 105 -262V266Q105 288 84 298H-84Q-105 288 -105 266Z" fill="url(#vo-metal)"/>
<path d="M-84 -294L-78 -320H78L84 -294Z" fill="url(#vo-rim)"/><ellipse cx="0" cy="-320" rx="78" ry="11" fill="#ececf2"/><ellipse cx="0" cy="-319" rx="68" ry="8" fill="#a3a3ae"/>
<g clip-path="url(#vo-body)">
<path d="M-140 50L140 -50V30L-140 130Z" fill="${VIOLET}"/><path d="M-140 144L140 44V62L-140 162Z" fill="${LIME}"/>
<g transform="translate(0 -140) scale(.76)"><path d="${BOLT}" fill="${LIME}"/></g>
<rect x="-80" y="-290" width="18" height="580" rx="9" fill="#fff" opacity=".16"/>
</g>
${text(0, 206, 76, 'VOLT', { font: 'Inter Display', weight: 900, fill: '#fff', anchor: 'middle', spacing: 0.02, style: 'italic' })}
${text(0, 244, 22, 'SPARKLING', { font: 'Inter Display', weight: 600, fill: LIME, anchor: 'middle', spacing: 0.24 })}
${text(0, 276, 17, '0 % sugar · 330 ml', { font: 'Inter', weight: 600, fill: '#bcbccb', anchor: 'middle' })}
`;

/** Bubbles rise all the time; each has its own column and pace. */
const bubbles = (W, H, t) =>
  Array.from({ length: 34 }, (_, index) => {
    const column = (index * 0.618034) % 1;
    const pace = 130 + ((index * 53) % 170);
    const start = (index * 0.37) % 1;
    const travelled = (start * (H + 80) + t * pace) % (H + 80);
    const radius = 4 + ((index * 7) % 13);
    return `<circle cx="${(column * W + 10 * wave(t, 2.2, index)).toFixed(1)}" cy="${(H + 40 - travelled).toFixed(1)}" r="${radius}" fill="none" stroke="${index % 4 === 0 ? LIME : '#fff'}" stroke-opacity="${index % 4 === 0 ? 0.8 : 0.3}" stroke-width="3"/>`;
  }).join('');

/** The film: stripes run, two words punch in, the bolt flickers. */
export function film({ W, H, portrait, t }) {
  const run = (t * 90) % 240;
  const stripes = Array.from({ length: 26 }, (_, index) => {
    const x = -900 + index * 240 + run;
    return `<path d="M${x} ${H + 100}L${x + H * 0.55 + 110} -100H${x + H * 0.55 + 190}L${x + 80} ${H + 100}Z" fill="#16132b"/>`;
  }).join('');
  const slam = (from) => overshoot(t, from, 0.42);
  const flash = Math.max(0, 1 - Math.abs(t - 2.05) / 0.16);
  const [cx, cy, scale] = portrait ? [540, 1345, 1.36] : [1420, 545, 1.42];
  const glow = 0.75 + 0.25 * wave(t, 1.1);
  const type = { font: 'Inter Display', weight: 900, style: 'italic', spacing: -0.03 };
  const size = portrait ? 205 : 215;
  const row = (from, x, y, content, options) => {
    const p = slam(from);
    return p <= 0 ? '' : at(x - (1 - p) * 700, y, 1, 0, text(0, 0, size, content, { ...type, ...options }));
  };
  const x = portrait ? 64 : 100;
  const y = portrait ? 240 : 300;
  const step = size * 0.93;
  return `<defs><filter id="vo-glow" x="-80%" y="-80%" width="260%" height="260%"><feGaussianBlur stdDeviation="60"/></filter></defs>
<rect width="${W}" height="${H}" fill="${NIGHT}"/>${stripes}
<circle cx="${cx}" cy="${cy}" r="${portrait ? 400 : 380}" fill="${VIOLET}" opacity="${0.62 * glow}" filter="url(#vo-glow)"/>
<g transform="translate(${cx + 10} ${cy}) scale(${portrait ? 3.1 : 3.1}) rotate(8)"><path d="${BOLT}" fill="${LIME}" fill-opacity="${flash.toFixed(2)}" stroke="#9c6bff" stroke-width="1.6"/></g>
${bubbles(W, H, t)}
${row(-0.35, x, y, 'ZERO', { fill: '#fff' })}${row(0.35, x, y + step, 'SUGAR.', { fill: '#fff' })}
${row(1.5, x, y + step * 2.06, 'ALL', { fill: LIME })}${row(1.95, x, y + step * 3, 'SPARK.', { fill: LIME })}
${at(cx, cy + 10 * wave(t, 2.6), scale * (1 + 0.04 * flash), 12 + 2 * wave(t, 3), can())}
${portrait ? text(540, 1868, 54, 'Next to the sandwiches.', { font: 'Inter Display', weight: 600, anchor: 'middle', fill: '#fff', opacity: easeOut(t, 2.8, 0.6) }) : text(108, 1000, 52, 'Next to the sandwiches.', { font: 'Inter Display', weight: 600, fill: '#fff', opacity: 0.9 * easeOut(t, 2.8, 0.6) })}`;
}
