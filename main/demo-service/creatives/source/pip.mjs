// Pip & Pocket snack boxes: sky, coral, sunflower, grass.
import { at, lines, priceTag, text } from './svg.mjs';

const INK = '#1f2a5a';

/** A snack box with a face, 300 square, centred. */
const box = (fill, lid, { mouth, look = 0 }) => `
<ellipse cx="0" cy="168" rx="150" ry="16" fill="${INK}" opacity=".18"/>
<rect x="-150" y="-110" width="300" height="270" rx="56" fill="${fill}"/>
<path d="M-150 -30V-94A56 56 0 0 1 -94 -150H94A56 56 0 0 1 150 -94V-30Z" fill="${lid}"/>
<rect x="-58" y="-190" width="116" height="60" rx="30" fill="none" stroke="${lid}" stroke-width="22"/>
<rect x="-26" y="-50" width="52" height="36" rx="12" fill="#fff"/>
<circle cx="-58" cy="38" r="30" fill="#fff"/><circle cx="58" cy="38" r="30" fill="#fff"/>
<circle cx="${-58 + look}" cy="42" r="15" fill="${INK}"/><circle cx="${58 + look}" cy="42" r="15" fill="${INK}"/>
<circle cx="${-53 + look}" cy="36" r="5" fill="#fff"/><circle cx="${63 + look}" cy="36" r="5" fill="#fff"/>
<circle cx="-104" cy="88" r="18" fill="#fff" opacity=".35"/><circle cx="104" cy="88" r="18" fill="#fff" opacity=".35"/>
${mouth}
`;
const GRIN = `<path d="M-44 82H44A44 44 0 0 1 -44 82Z" fill="${INK}"/><path d="M-22 116A30 26 0 0 1 22 116A44 44 0 0 1 -22 116Z" fill="#ff6b6b"/>`;
const SMILE = `<path d="M-34 92Q0 124 34 92" stroke="${INK}" stroke-width="12" stroke-linecap="round" fill="none"/>`;
const OH = `<ellipse cx="0" cy="104" rx="18" ry="22" fill="${INK}"/>`;

const carrot = `<path d="M0 90C-40 30 -36 -30 0 -40S40 30 0 90Z" fill="#ff8a2a"/><path d="M-14 0H8M-8 26H14" stroke="#d9660c" stroke-width="6" stroke-linecap="round"/><path d="M0 -38C-30 -70 -30 -96 -22 -110C-6 -96 0 -70 0 -38C2 -80 16 -104 34 -110C36 -84 22 -60 0 -38Z" fill="#37a05a"/>`;
const apple = `<path d="M0 -36C-70 -76 -104 30 -40 80C-20 94 -14 84 0 84S20 94 40 80C104 30 70 -76 0 -36Z" fill="#e8413f"/><path d="M0 -40C0 -66 8 -80 24 -90" stroke="#6b3b1a" stroke-width="10" fill="none" stroke-linecap="round"/><path d="M10 -66C36 -96 66 -86 72 -70C50 -54 26 -52 10 -66Z" fill="#37a05a"/>`;
const cheese = `<path d="M-90 40L60 -60Q96 -20 96 40Z" fill="#ffd04d"/><path d="M-90 40H96V84H-90Z" fill="#f5b82e"/><circle cx="30" cy="6" r="14" fill="#e0a010"/><circle cx="-20" cy="62" r="12" fill="#d9950c"/><circle cx="56" cy="62" r="9" fill="#d9950c"/>`;

export function poster({ W, H, portrait }) {
  const word = { font: 'Quicksand', weight: 700, fill: INK, spacing: -0.045 };
  const confetti = Array.from({ length: 40 }, (_, index) => {
    const x = (index * 0.618034 * W) % W;
    const y = (index * 0.4142 * H) % (H * 0.78);
    if (portrait ? x < W * 0.64 && y < 900 : x < W * 0.44) return '';
    const fill = ['#fff', '#ffd04d', '#ff7a6b', '#5fd08a'][index % 4];
    return `<rect x="${x.toFixed(0)}" y="${y.toFixed(0)}" width="26" height="12" rx="6" transform="rotate(${index * 47} ${x.toFixed(0)} ${y.toFixed(0)})" fill="${fill}" opacity=".75"/>`;
  }).join('');
  const ground = portrait ? 1560 : 800;
  const boxes = portrait
    ? `${at(300, 1130, 1.2, -7, box('#ff7a6b', '#e8544a', { mouth: GRIN, look: 8 }))}${at(800, 1210, 1.05, 6, box('#ffd04d', '#f0ac1c', { mouth: SMILE, look: -8 }))}${at(540, 1560, 1.25, 2, box('#5fc98a', '#37a05a', { mouth: OH }))}`
    : `${at(1130, 640, 1.15, -7, box('#ff7a6b', '#e8544a', { mouth: GRIN, look: 8 }))}${at(1690, 640, 1.1, 7, box('#5fc98a', '#37a05a', { mouth: OH, look: -8 }))}${at(1410, 790, 1.2, 1, box('#ffd04d', '#f0ac1c', { mouth: SMILE }))}`;
  return `<rect width="${W}" height="${H}" fill="#8fd8f7"/>
<circle cx="${portrait ? 200 : 1410}" cy="${portrait ? 1240 : 560}" r="${portrait ? 900 : 620}" fill="#b4e7fc"/>
${confetti}
<path d="M0 ${ground}Q${W / 2} ${ground - 160} ${W} ${ground}V${H}H0Z" fill="#6fcf72"/><path d="M0 ${ground + 90}Q${W / 2} ${ground - 40} ${W} ${ground + 90}V${H}H0Z" fill="#57bb62"/>
${boxes}
${portrait ? at(150, 1700, 1, -16, carrot) + at(930, 1640, 0.95, 10, apple) + at(880, 860, 0.9, 14, cheese) : at(1055, 935, 0.9, -18, carrot) + at(1820, 920, 1, 12, apple) + at(1400, 300, 0.9, 14, cheese)}
${lines(portrait ? 84 : 104, portrait ? 290 : 290, portrait ? 184 : 168, 1, ['Snacks', 'for the', 'whole', 'squad.'].slice(0, 4), word)}
${text(portrait ? 90 : 110, portrait ? 116 : 116, 50, 'Pip &amp; Pocket', { font: 'Quicksand', weight: 700, fill: '#d8342b' })}
${portrait ? text(90, 1860, 52, 'Cut, washed, packed. Twelve kinds.', { font: 'Quicksand', weight: 700, fill: '#0f3d20' }) : text(110, 1010, 52, 'Cut, washed, packed. Twelve kinds.', { font: 'Quicksand', weight: 700, fill: '#0f3d20' })}
${portrait ? priceTag(850, 560, 150, '3 for 5', 'mix them', { fill: '#fff', ink: '#d8342b', size: 0.46, font: 'Quicksand' }) : priceTag(800, 520, 134, '3 for 5', 'mix them', { fill: '#fff', ink: '#d8342b', size: 0.46, font: 'Quicksand' })}`;
}
