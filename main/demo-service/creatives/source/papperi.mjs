// Papperi pasta: cobalt, semolina yellow, tomato.
import { at, gradient, lines, softShadow, text } from './svg.mjs';

const COBALT = '#1a3f9c';
const YELLOW = '#ffc531';
const SEMOLINA = '#ffe19a';

/** One farfalla, about 150 wide. */
const farfalla = (x, y, turn, size, fill = YELLOW, shade = '#dd9a12') =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${size})"><path d="M-76 -48L-66 -40L-76 -30L-66 -20L-76 -10L-66 0L-76 10L-66 20L-76 30L-66 40L-76 48C-40 44 -16 24 0 14C16 24 40 44 76 48L66 40L76 30L66 20L76 10L66 0L76 -10L66 -20L76 -30L66 -40L76 -48C40 -44 16 -24 0 -14C-16 -24 -40 -44 -76 -48Z" fill="${fill}"/><path d="M-40 -20C-20 -12 -10 -6 0 0C-10 6 -20 12 -40 20M40 -20C20 -12 10 -6 0 0C10 6 20 12 40 20" stroke="${shade}" stroke-width="5" fill="none" stroke-linecap="round"/><path d="M-8 -14Q0 0 -8 14H8Q0 0 8 -14Z" fill="${shade}"/></g>`;

const rigatone = (x, y, turn, size) =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${size})"><rect x="-72" y="-30" width="144" height="60" rx="10" fill="${YELLOW}"/>${[-18, -6, 6, 18].map((line) => `<path d="M-72 ${line}H60" stroke="#dd9a12" stroke-width="4"/>`).join('')}<ellipse cx="70" rx="16" ry="30" fill="#b87a08"/><ellipse cx="70" rx="16" ry="30" fill="none" stroke="${SEMOLINA}" stroke-width="6"/></g>`;

/** The pouch with its window, about 380 wide and 620 high, centred. */
export const pouch = () => `
<defs>
${gradient('pp-pouch', [0, 0, 1, 0], [[0, '#f2b21d'], [0.2, '#ffd75e'], [0.55, '#ffc531'], [1, '#d78f0a']])}
${softShadow('pp-shadow', 22)}
<clipPath id="pp-window"><path d="M-130 96C-130 30 -70 20 0 20S130 30 130 96V180C130 236 70 250 0 250S-130 236 -130 180Z"/></clipPath>
</defs>
<ellipse cx="0" cy="318" rx="240" ry="26" fill="#071a4d" opacity=".55" filter="url(#pp-shadow)"/>
<path d="M-178 -270C-190 -100 -196 120 -186 290Q-186 312 -160 312H160Q186 312 186 290C196 120 190 -100 178 -270Z" fill="url(#pp-pouch)"/>
<path d="M-186 -318H186V-262H-186Z" fill="#e8413f"/>${Array.from({ length: 22 }, (_, index) => `<path d="M${-182 + index * 17} -316V-264" stroke="#c22a2c" stroke-width="4"/>`).join('')}
<rect x="-150" y="-220" width="300" height="200" rx="22" fill="${COBALT}"/>
${text(0, -118, 88, 'Papperi', { font: 'Lobster Two', weight: 700, style: 'italic', fill: SEMOLINA, anchor: 'middle' })}
${text(0, -62, 28, 'FARFALLE N° 9', { font: 'Karla', weight: 800, fill: YELLOW, anchor: 'middle', spacing: 0.12 })}
<path d="M-130 96C-130 30 -70 20 0 20S130 30 130 96V180C130 236 70 250 0 250S-130 236 -130 180Z" fill="#8a5206"/>
<g clip-path="url(#pp-window)">${[
  [-90, 70, 20],
  [10, 60, -30],
  [96, 90, 60],
  [-60, 140, -50],
  [40, 140, 12],
  [110, 180, -20],
  [-110, 200, 30],
  [-20, 210, 80],
  [60, 226, -40],
]
  .map(([x, y, turn]) => farfalla(x, y, turn, 0.72, '#ffd873', '#d9951a'))
  .join('')}</g>
<path d="M-130 96C-130 30 -70 20 0 20S130 30 130 96V180C130 236 70 250 0 250S-130 236 -130 180Z" fill="none" stroke="${COBALT}" stroke-width="8"/>
${text(0, 290, 26, '500 g', { font: 'Karla', weight: 800, fill: COBALT, anchor: 'middle' })}
<path d="M-150 -250C-160 -80 -166 100 -158 280" stroke="#fff" stroke-width="12" opacity=".35" fill="none" stroke-linecap="round"/>
`;

const tomato = (x, y, size) =>
  `<g transform="translate(${x} ${y}) scale(${size})"><circle r="86" fill="#e8413f"/><path d="M-60 -30A70 70 0 0 1 -10 -66" stroke="#ff9b8f" stroke-width="14" stroke-linecap="round" fill="none"/><path d="M0 -78L14 -54L46 -60L26 -36L44 -10L10 -22L-8 6L-16 -26L-48 -22L-26 -44L-40 -72L-10 -58Z" fill="#3f8f49"/></g>`;

export function poster({ W, H, portrait }) {
  const head = { font: 'Inter Display', weight: 900, fill: SEMOLINA, spacing: -0.035 };
  const shapes = portrait
    ? [farfalla(930, 760, 24, 1.1), rigatone(160, 1000, -30, 1), farfalla(140, 1390, -18, 1.2), rigatone(960, 1120, 60, 1), farfalla(980, 1650, 40, 1), rigatone(110, 1730, 20, 0.9)]
    : [farfalla(1040, 190, 24, 1.1), rigatone(1800, 170, -32, 1), farfalla(1800, 560, -18, 1.2), rigatone(1010, 830, 54, 1), farfalla(1790, 930, 40, 1)];
  const [cx, cy, scale] = portrait ? [545, 1280, 1.32] : [1420, 540, 1.42];
  return `<defs>${gradient('pp-back', [0, 0, 1, 1], [[0, '#2450bd'], [1, '#112c76']])}</defs>
<rect width="${W}" height="${H}" fill="url(#pp-back)"/>
<circle cx="${cx}" cy="${cy}" r="${portrait ? 560 : 500}" fill="#2c5cd0" opacity=".55"/>
${shapes.join('')}
${at(cx, cy, scale, -5, pouch())}
${tomato(cx - (portrait ? 300 : 330), cy + (portrait ? 400 : 380), 1.2)}${tomato(cx - (portrait ? 190 : 210), cy + (portrait ? 440 : 430), 0.85)}
${portrait ? lines(80, 260, 196, 0.96, ['Nice', 'tomatoes.', 'Now this.'], head) : lines(104, 300, 184, 0.98, ['Nice', 'tomatoes.', 'Now this.'], head)}
${portrait ? text(84, 1856, 56, 'Aisle 4. Dinner in twenty minutes.', { font: 'Inter Display', weight: 600, fill: '#fff' }) : text(110, 770, 58, 'Dinner in twenty minutes.', { font: 'Inter Display', weight: 600, fill: '#fff' }) + text(110, 960, 150, '1.29', { font: 'Inter Display', weight: 900, fill: YELLOW, spacing: -0.04 }) + text(430, 960, 50, 'aisle 4', { font: 'Inter Display', weight: 600, fill: YELLOW })}`;
}
