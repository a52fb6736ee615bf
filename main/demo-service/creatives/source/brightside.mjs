// Brightside toothpaste: white, mint, aqua.
import { at, gradient, lines, priceTag, softShadow, text } from './svg.mjs';

const TEAL = '#00707d';

/** The tube, lying, its nozzle to the left; about 760 wide. */
const tube = () => `
<defs>
${gradient('bs-tube', [0, 0, 0, 1], [[0, '#ffffff'], [0.45, '#f3fbfb'], [0.75, '#cfeeee'], [1, '#8fd3d4']])}
${gradient('bs-cap', [0, 0, 0, 1], [[0, '#3fc6bd'], [0.5, '#12a29b'], [1, '#067a78']])}
${softShadow('bs-shadow', 22)}
<clipPath id="bs-body"><path d="M-250 -92Q-250 -112 -228 -114L340 -138V138L-228 114Q-250 112 -250 92Z"/></clipPath>
</defs>
<ellipse cx="30" cy="168" rx="400" ry="26" fill="#00545e" opacity=".3" filter="url(#bs-shadow)"/>
<path d="M-250 -92Q-250 -112 -228 -114L340 -138V138L-228 114Q-250 112 -250 92Z" fill="url(#bs-tube)"/>
<g clip-path="url(#bs-body)">
<path d="M-260 70C-80 10 60 130 380 20V160H-260Z" fill="#3fc6bd"/><path d="M-260 96C-60 40 80 150 380 62V160H-260Z" fill="#00838c"/>
<path d="M-260 -96C-60 -112 200 -122 380 -132V-112C200 -104 -60 -92 -260 -76Z" fill="#fff"/>
</g>
<rect x="336" y="-146" width="44" height="292" rx="6" fill="#d9f1f1"/>${[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((index) => `<path d="M342 ${-126 + index * 28}H374" stroke="#9fd5d6" stroke-width="5"/>`).join('')}
<rect x="-286" y="-62" width="40" height="124" rx="8" fill="#e7f6f6"/>
<path d="M-286 -76H-370Q-394 -76 -394 -54V54Q-394 76 -370 76H-286Z" fill="url(#bs-cap)"/>${[0, 1, 2, 3, 4, 5].map((index) => `<path d="M-384 ${-50 + index * 20}H-296" stroke="#056c6b" stroke-width="4" opacity=".5"/>`).join('')}
${text(30, 14, 96, 'Brightside', { font: 'Quicksand', weight: 700, fill: TEAL, anchor: 'middle', spacing: -0.04 })}
<path d="M292 -88l10 -26 10 26 26 10 -26 10 -10 26 -10 -26 -26 -10Z" fill="#ffc94a"/>
`;

/** A smile of three-coloured paste. */
const smile = (x, y, width, depth, thick) => {
  const arc = `M${x - width} ${y}Q${x} ${y + depth} ${x + width} ${y}`;
  return `<path d="${arc}" fill="none" stroke="#006d78" stroke-opacity=".22" stroke-width="${thick}" stroke-linecap="round" transform="translate(0 22)"/><path d="${arc}" fill="none" stroke="#fff" stroke-width="${thick}" stroke-linecap="round"/><path d="${arc}" fill="none" stroke="#37c3bb" stroke-width="${thick * 0.44}" stroke-linecap="round"/><path d="${arc}" fill="none" stroke="#fff" stroke-width="${thick * 0.16}" stroke-linecap="round"/>`;
};

const sparkle = (x, y, size, fill = '#fff') =>
  `<path d="M0 -60Q8 -8 60 0Q8 8 0 60Q-8 8 -60 0Q-8 -8 0 -60Z" transform="translate(${x} ${y}) scale(${size})" fill="${fill}"/>`;

export function poster({ W, H, portrait }) {
  const word = { font: 'Quicksand', weight: 700, fill: '#fff', spacing: -0.045 };
  const small = { font: 'Quicksand', weight: 700, fill: '#fff' };
  return `<defs>${gradient('bs-back', [0, 0, 1, 1], [[0, '#58d8cb'], [0.55, '#1fb5b8'], [1, '#0089a0']])}</defs>
<rect width="${W}" height="${H}" fill="url(#bs-back)"/>
<circle cx="${portrait ? 900 : 1600}" cy="${portrait ? 250 : 170}" r="520" fill="#fff" opacity=".08"/><circle cx="${portrait ? 900 : 1600}" cy="${portrait ? 250 : 170}" r="330" fill="#fff" opacity=".09"/>
${
  portrait
    ? `${lines(90, 330, 215, 0.98, ['Good', 'morning,', 'teeth.'], word)}
${smile(540, 1000, 380, 330, 96)}
${at(560, 1450, 1.16, -10, tube())}
${sparkle(900, 300, 1.2)}${sparkle(810, 170, 0.6)}${sparkle(160, 1220, 0.7)}
${lines(90, 1730, 56, 1.3, ['Arctic mint,', 'gentle on enamel.'], small)}
${priceTag(890, 1720, 140, '1.79', '75 ml', { fill: '#ffc94a', ink: '#00545e', font: 'Quicksand' })}`
    : `${lines(110, 300, 216, 0.98, ['Good', 'morning,', 'teeth.'], word)}
${smile(1380, 300, 350, 300, 92)}
${at(1370, 730, 1.18, -9, tube())}
${sparkle(1690, 190, 1.1)}${sparkle(1600, 120, 0.5)}${sparkle(1000, 440, 0.65)}
${text(118, 900, 58, 'Arctic mint,', small)}${text(118, 974, 58, 'gentle on enamel.', small)}
${priceTag(772, 915, 118, '1.79', '75 ml', { fill: '#ffc94a', ink: '#00545e', font: 'Quicksand' })}`
}`;
}
