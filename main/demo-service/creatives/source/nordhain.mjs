// Nordhain oat drink: forest green, oat cream, gold.
import { at, easeOut, gradient, lines, overshoot, priceTag, rising, softShadow, text, wave } from './svg.mjs';

const FOREST = '#15372a';
const CREAM = '#f5e8cd';
const GOLD = '#e0a63f';

const grain = (x, y, turn, size = 1) =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${size})"><path d="M0 0C14 -12 16 -40 0 -62C-16 -40 -14 -12 0 0Z" fill="${GOLD}"/><path d="M0 -4V-52" stroke="#b67d22" stroke-width="2.5" fill="none"/></g>`;

/** An ear of oats, its foot at the origin. */
export const oats = (sway = 0) => {
  const rows = [0, 1, 2, 3, 4].map((row) => {
    const y = -150 - row * 58;
    const lean = 34 - row * 3;
    return grain(-4, y, -lean) + grain(4, y, lean);
  });
  return `<g transform="rotate(${sway})"><path d="M0 0C-6 -120 4 -260 0 -400" stroke="#b67d22" stroke-width="7" fill="none" stroke-linecap="round"/>${rows.join('')}${grain(0, -395, 0, 1.1)}</g>`;
};

/** The carton, about 260 wide and 600 high, centred. */
export const carton = () => `
<defs>
${gradient('nh-front', [0, 0, 1, 0], [[0, '#fbf2dd'], [0.7, '#f5e8cd'], [1, '#ead9b6']])}
${gradient('nh-side', [0, 0, 1, 0], [[0, '#cdb98f'], [1, '#b79f72']])}
${softShadow('nh-shadow', 18)}
<clipPath id="nh-label"><rect x="-140" y="-180" width="260" height="450"/></clipPath>
</defs>
<ellipse cx="40" cy="276" rx="210" ry="24" fill="#000" opacity=".4" filter="url(#nh-shadow)"/>
<path d="M120 -180L200 -214V232L120 270Z" fill="url(#nh-side)"/>
<path d="M120 -180L200 -214L118 -292L92 -292Z" fill="#a98f60"/>
<rect x="-140" y="-180" width="260" height="450" fill="url(#nh-front)"/>
<g clip-path="url(#nh-label)">
<path d="M-140 120C-90 80 -40 96 10 122S100 120 140 96V280H-140Z" fill="#3f7d5a"/>
<path d="M-140 170C-80 130 -10 168 50 160S110 140 140 150V280H-140Z" fill="${FOREST}"/>
<g transform="translate(-64 190) rotate(-14) scale(.5)">${oats()}</g><g transform="translate(-18 200) rotate(2) scale(.56)">${oats()}</g><g transform="translate(30 196) rotate(16) scale(.48)">${oats()}</g>
</g>
<path d="M-140 -180H120L96 -292H-116Z" fill="${FOREST}"/>
<path d="M-116 -292H96L108 -300V-336H-128V-300Z" fill="#0e2a1f"/>
<ellipse cx="-8" cy="-236" rx="36" ry="30" fill="${GOLD}"/><ellipse cx="-8" cy="-242" rx="36" ry="28" fill="#f0c06a"/><ellipse cx="-8" cy="-242" rx="24" ry="18" fill="${GOLD}"/>
${text(-10, -100, 54, 'Nordhain', { font: 'League Spartan', weight: 800, fill: FOREST, anchor: 'middle', spacing: -0.04 })}
${text(-10, -64, 24, 'OAT DRINK', { font: 'Manrope', weight: 700, fill: '#9a6a17', anchor: 'middle', spacing: 0.18 })}
${text(-10, 244, 20, 'BARISTA · 1 L', { font: 'Manrope', weight: 700, fill: CREAM, anchor: 'middle', spacing: 0.1 })}
`;

/** Cream rising from below, with two moving edges. */
const pour = (W, H, t, level) => {
  const edge = (y, amplitude, period, phase) => {
    const points = Array.from({ length: 25 }, (_, index) => {
      const x = (W * index) / 24;
      return `${x.toFixed(1)} ${(y + amplitude * wave(t, period, phase + (index / 24) * 3.1)).toFixed(1)}`;
    });
    return `M0 ${H}L${points.join('L')}L${W} ${H}Z`;
  };
  return `<path d="${edge(level - 34, 22, 3, 0.4)}" fill="#e9d3a1"/><path d="${edge(level, 18, 2.4, 1.1)}" fill="${CREAM}"/>`;
};

/** The film: cream rises, the carton stands in it, three words and the price arrive. */
export function film({ W, H, portrait, t }) {
  const rise = easeOut(t, 0, 1.6);
  const level = H - (portrait ? 420 : 215) * (0.45 + 0.55 * rise);
  const headline = { font: 'League Spartan', weight: 800, fill: CREAM, spacing: -0.045 };
  const size = portrait ? 222 : 232;
  const left = portrait ? 90 : 130;
  const first = portrait ? 280 : 290;
  const words = ['Pour.', 'Stir.', 'Stay.']
    .map((word, index) => rising(t, -0.3 + index * 0.8, left, first + index * size * 0.94, size, word, { ...headline, fill: index === 2 ? GOLD : CREAM }))
    .join('');
  const bob = 8 * wave(t, 3.2);
  const [cx, cy, scale] = portrait ? [610, 1275, 1.36] : [1410, 545, 1.4];
  const tag = Math.max(0, overshoot(t, 2.9, 0.6));
  return `<defs>${gradient('nh-back', [0, 0, 1, 1], [[0, '#215240'], [1, '#0f2b20']])}</defs>
<rect width="${W}" height="${H}" fill="url(#nh-back)"/>
<circle cx="${cx - 10}" cy="${cy - 120}" r="${portrait ? 520 : 500}" fill="#2a6650" opacity=".55"/>
<circle cx="${cx - 10}" cy="${cy - 120}" r="${portrait ? 380 : 360}" fill="#347a60" opacity=".5"/>
${at(cx - (portrait ? 330 : 360), cy + 330, portrait ? 1.4 : 1.25, -12, oats(3 * wave(t, 3.4)))}
${at(cx + (portrait ? 330 : 390), cy + 340, portrait ? 1.3 : 1.15, 14, oats(3 * wave(t, 3.8, 1)))}
${words}
${at(cx, cy + bob + (1 - rise) * 130, scale, 0, carton())}
${pour(W, H, t, level)}
${portrait ? text(90, H - 130, 58, 'Oats from three farms.', { font: 'Manrope', weight: 700, fill: FOREST, opacity: easeOut(t, 2.5, 0.6), spacing: -0.02 }) + text(90, H - 62, 46, 'Nothing you can’t pronounce.', { font: 'Manrope', weight: 500, fill: FOREST, opacity: easeOut(t, 2.7, 0.6), spacing: -0.02 }) : text(130, H - 66, 50, 'Oats from three farms. Nothing you can’t pronounce.', { font: 'Manrope', weight: 700, fill: FOREST, opacity: easeOut(t, 2.5, 0.6), spacing: -0.02 })}
${tag > 0 ? priceTag(portrait ? 215 : 1120, portrait ? 1330 : 720, portrait ? 150 : 130, '2.29', '1 litre', { fill: GOLD, ink: FOREST, scale: tag, font: 'League Spartan' }) : ''}`;
}

/** The still: the price is the picture. */
export function offer({ W, H, portrait }) {
  const price = portrait ? { x: 70, y: 900, size: 560 } : { x: 90, y: 800, size: 570 };
  const [cx, cy, scale] = portrait ? [690, 1450, 1.2] : [1560, 590, 1.42];
  return `<defs>${gradient('no-back', [0, 0, 0.6, 1], [[0, '#f8ecd2'], [1, '#eccf92']])}</defs>
<rect width="${W}" height="${H}" fill="url(#no-back)"/>
<circle cx="${cx}" cy="${cy - 40}" r="${portrait ? 540 : 560}" fill="#fff8e6" opacity=".7"/>
${at(cx - (portrait ? 290 : 330), cy + (portrait ? 310 : 400), 1.5, -16, oats())}${at(cx + 300, cy + 410, 1.4, 18, oats())}
${text(price.x + 14, portrait ? 210 : 190, portrait ? 76 : 72, 'Offer of the week', { font: 'League Spartan', weight: 700, fill: '#9a6a17', spacing: -0.02 })}
${lines(price.x + 14, portrait ? 320 : 290, portrait ? 104 : 84, 1, portrait ? ['Good morning,', 'oat.'] : ['Good morning, oat.'], { font: 'League Spartan', weight: 800, fill: FOREST, spacing: -0.035 })}
${text(price.x, price.y, price.size, '1.79', { font: 'League Spartan', weight: 800, fill: FOREST, spacing: -0.07 })}
${text(price.x + 18, price.y + (portrait ? 100 : 110), 54, 'per litre', { font: 'Manrope', weight: 700, fill: FOREST })}
${text(price.x + 320, price.y + (portrait ? 100 : 110), 54, 'instead of 2.29', { font: 'Manrope', weight: 500, fill: '#7c6a3c', more: 'text-decoration="line-through"' })}
${at(cx, cy, scale, 4, carton())}
${text(price.x + 18, H - (portrait ? 90 : 80), portrait ? 40 : 38, 'Until Saturday, dairy aisle', { font: 'Manrope', weight: 700, fill: FOREST, opacity: 0.75 })}`;
}
