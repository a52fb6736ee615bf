// Kiosko cold brew: espresso, amber, cream.
import { at, easeOut, gradient, overshoot, radial, rising, softShadow, text, wave } from './svg.mjs';

const AMBER = '#ff8a1f';
const CREAM = '#ffe9cf';
const ESPRESSO = '#1b0e08';

/** The can, about 250 wide and 560 high, centred. */
export const can = () => `
<defs>
${gradient('kk-metal', [0, 0, 1, 0], [[0, '#7d3a08'], [0.12, '#e8750f'], [0.32, '#ffa447'], [0.6, '#f57f12'], [0.88, '#b85506'], [1, '#6b2f05']])}
${gradient('kk-rim', [0, 0, 1, 0], [[0, '#6f6a66'], [0.3, '#f4f0ec'], [0.6, '#bdb6b0'], [1, '#5d5753']])}
${softShadow('kk-shadow', 20)}
<clipPath id="kk-body"><path d="M-125 -230Q-125 -252 -104 -262H104Q125 -252 125 -230V232Q125 256 104 266H-104Q-125 256 -125 232Z"/></clipPath>
</defs>
<ellipse cx="0" cy="284" rx="190" ry="24" fill="#000" opacity=".6" filter="url(#kk-shadow)"/>
<path d="M-104 262H104L96 286Q0 300 -96 286Z" fill="url(#kk-rim)"/>
<path d="M-125 -230Q-125 -252 -104 -262H104Q125 -252 125 -230V232Q125 256 104 266H-104Q-125 256 -125 232Z" fill="url(#kk-metal)"/>
<path d="M-104 -262L-96 -290H96L104 -262Z" fill="url(#kk-rim)"/><ellipse cx="0" cy="-290" rx="96" ry="13" fill="#e9e4df"/><ellipse cx="0" cy="-289" rx="84" ry="9" fill="#a8a19b"/>
<g clip-path="url(#kk-body)">
<circle cx="0" cy="-36" r="118" fill="${ESPRESSO}"/>
<circle cx="0" cy="-36" r="104" fill="none" stroke="${AMBER}" stroke-width="4"/>
<path d="M0 -36V-112" stroke="${CREAM}" stroke-width="12" stroke-linecap="round"/><path d="M0 -36L50 2" stroke="${CREAM}" stroke-width="12" stroke-linecap="round"/><circle cx="0" cy="-36" r="13" fill="${CREAM}"/>
<rect x="-125" y="110" width="250" height="160" fill="${ESPRESSO}" opacity=".94"/>
</g>
${text(0, -176, 62, 'KIOSKO', { font: 'Bebas Neue', weight: 700, fill: ESPRESSO, anchor: 'middle', spacing: 0.06 })}
${text(0, 172, 50, 'COLD BREW', { font: 'Bebas Neue', weight: 700, fill: AMBER, anchor: 'middle', spacing: 0.05 })}
${text(0, 214, 20, 'slow-steeped · 250 ml', { font: 'Karla', weight: 600, fill: CREAM, anchor: 'middle' })}
<rect x="-92" y="-250" width="22" height="500" rx="11" fill="#fff" opacity=".22"/>
`;

const ice = (x, y, turn, size) =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${size})"><rect x="-60" y="-60" width="120" height="120" rx="22" fill="#cfe9ff" opacity=".2"/><rect x="-60" y="-60" width="120" height="120" rx="22" fill="none" stroke="#eaf6ff" stroke-width="5" opacity=".55"/><path d="M-36 -30Q-32 -40 -18 -40" stroke="#fff" stroke-width="7" stroke-linecap="round" fill="none" opacity=".8"/></g>`;

const bean = (x, y, turn, size) =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${size})"><ellipse rx="34" ry="50" fill="#4a2412"/><ellipse cx="-7" cy="-7" rx="24" ry="38" fill="#61321a"/><path d="M0 -46C-16 -16 16 16 0 46" stroke="#22100a" stroke-width="7" fill="none"/></g>`;

/** The film: twenty hours go round the can while ice and beans drift. */
export function film({ W, H, portrait, t }) {
  const [cx, cy, radius, scale] = portrait ? [540, 650, 430, 1.32] : [1390, 540, 420, 1.27];
  const turned = easeOut(t, 0.2, 3.6);
  const round = 2 * Math.PI * radius;
  const hours = Math.round(20 * turned);
  const arrive = overshoot(t, 0, 0.7);
  const drift = (amount, period, phase) => amount * wave(t, period, phase);
  const bits = [
    ice(cx - radius * 0.98, cy - radius * 0.78 + drift(16, 3.1, 0), 18 + drift(7, 4, 0), 1.15),
    ice(cx + radius * 1.0, cy + radius * 0.62 + drift(18, 3.7, 1), -24 + drift(8, 4.4, 1), 1.4),
    ice(cx + radius * 0.92, cy - radius * 0.9 + drift(12, 2.9, 2), 40 + drift(6, 3.4, 2), 0.8),
    bean(cx - radius * 0.9, cy + radius * 0.86 + drift(14, 3.3, 1.4), 34 + drift(10, 5, 0), 1.1),
    bean(cx + radius * 1.12, cy - radius * 0.18 + drift(16, 4.1, 0.5), -28 + drift(12, 5, 1), 0.9),
    bean(cx - radius * 1.1, cy + radius * 0.44 + drift(15, 3.6, 2.2), 70 + drift(9, 4.6, 2), 0.8),
  ].join('');
  const type = { font: 'Bebas Neue', weight: 700, spacing: -0.005 };
  const copy = portrait
    ? `${text(540, 1420, 330, `${hours} HOURS`, { ...type, fill: CREAM, anchor: 'middle' })}
${rising(t, 1.5, 540, 1640, 216, 'ZERO RUSH', { ...type, fill: AMBER, anchor: 'middle' })}
${text(540, 1780, 56, 'Never heated. In the cooler, aisle 1.', { font: 'Karla', weight: 600, fill: CREAM, anchor: 'middle', opacity: easeOut(t, 2.5, 0.7) })}`
    : `${text(116, 420, 420, `${hours}`, { ...type, fill: CREAM })}
${text(hours > 9 ? 480 : 320, 420, 180, 'HOURS', { ...type, fill: CREAM, opacity: 0.92 })}
${rising(t, 1.5, 120, 680, 232, 'ZERO RUSH', { ...type, fill: AMBER })}
${text(124, 820, 58, 'Cold brew, never heated.', { font: 'Karla', weight: 700, fill: CREAM, opacity: easeOut(t, 2.4, 0.7) })}
${text(124, 896, 58, 'In the cooler, aisle 1.', { font: 'Karla', weight: 500, fill: CREAM, opacity: 0.85 * easeOut(t, 2.7, 0.7) })}`;
  return `<defs>${radial('kk-back', [[0, '#5a2a12'], [0.55, '#2c150b'], [1, '#140a06']], [cx / W, cy / H, 0.75])}</defs>
<rect width="${W}" height="${H}" fill="url(#kk-back)"/>
<circle cx="${cx}" cy="${cy}" r="${radius}" fill="none" stroke="#fff" stroke-opacity=".08" stroke-width="34"/>
<circle cx="${cx}" cy="${cy}" r="${radius}" fill="none" stroke="${AMBER}" stroke-width="34" stroke-linecap="round" stroke-dasharray="${(round * Math.max(0.02, turned)).toFixed(1)} ${round.toFixed(1)}" transform="rotate(-90 ${cx} ${cy})"/>
${bits}
${at(cx, cy, scale * (0.86 + 0.14 * arrive), 4 * (1 - arrive) + 2 * wave(t, 4), can())}
${copy}`;
}
