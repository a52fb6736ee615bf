// Drawn here rather than emoji: a bare machine has no emoji font.

const draw = (/** @type {string} */ shapes) => `<svg viewBox="0 0 48 48" aria-hidden="true">${shapes}</svg>`;
const CLOUD = 'M13 34a8 8 0 0 1 0-16 12 12 0 0 1 23-1 8.5 8.5 0 0 1-1 17Z';

/** @type {Record<string, string>} */
export const PICTURES = {
  tomatoes: draw(
    '<circle cx="24" cy="27" r="16" fill="#e2483d"/><path d="M24 17l3-6 2 5 6-1-4 5 4 3-7 0-4 5-4-5-7 0 4-3-4-5 6 1 2-5Z" fill="#3f8f49"/>',
  ),
  parmesan: draw(
    '<path d="M5 30L34 11q9 7 9 19Z" fill="#ffd763"/><path d="M5 30h38v9H5Z" fill="#f0b429"/><circle cx="30" cy="24" r="3" fill="#e0a010"/><circle cx="18" cy="34" r="2.4" fill="#d1930c"/>',
  ),
  basil: draw(
    '<path d="M24 44V22" stroke="#2f7a3d" stroke-width="3"/><path d="M24 26C8 28 6 14 8 8c10 0 16 6 16 18Z" fill="#4da35a"/><path d="M24 32c14 2 17-9 16-16-10 0-16 5-16 16Z" fill="#3a8f4a"/>',
  ),
  milk: draw(
    '<path d="M14 18l5-9h10l5 9v25H14Z" fill="#eaf2fb" stroke="#9db7d3" stroke-width="2"/><path d="M14 26h20v10H14Z" fill="#4d8fd0"/><rect x="18" y="4" width="12" height="6" rx="2" fill="#4d8fd0"/>',
  ),
  bread: draw(
    '<path d="M7 22c0-8 8-11 17-11s17 3 17 11c0 3-2 4-3 5v12H10V27c-1-1-3-2-3-5Z" fill="#d99a4e"/><path d="M13 22c0-4 5-6 11-6s11 2 11 6" stroke="#f3cf96" stroke-width="3" fill="none" stroke-linecap="round"/>',
  ),
  apples: draw(
    '<path d="M24 17c-12-8-20 4-14 17 4 9 9 9 14 7 5 2 10 2 14-7 6-13-2-25-14-17Z" fill="#6bb53f"/><path d="M24 17c0-5 2-8 5-10" stroke="#6b3b1a" stroke-width="3" fill="none" stroke-linecap="round"/>',
  ),
  WEATHER_TYPE_SUNNY: draw(
    '<circle cx="24" cy="24" r="10" fill="#f7b52c"/><path d="M24 4v6M24 38v6M4 24h6M38 24h6M10 10l4 4M34 34l4 4M38 10l-4 4M14 34l-4 4" stroke="#f7b52c" stroke-width="4" stroke-linecap="round"/>',
  ),
  WEATHER_TYPE_CLOUDY: draw(`<path d="${CLOUD}" fill="#a9b4c2"/>`),
  WEATHER_TYPE_RAINY: draw(
    `<path d="${CLOUD}" fill="#8593a6" transform="translate(0 -5)"/><path d="M15 35l-3 8M24 35l-3 8M33 35l-3 8" stroke="#3f88c5" stroke-width="3.5" stroke-linecap="round"/>`,
  ),
  WEATHER_TYPE_SNOW: draw(
    '<path d="M24 5v38M7.500 14.500l33 19M40.500 14.500l-33 19M19 8l5 5 5-5M19 40l5-5 5 5" stroke="#5aa7dd" stroke-width="3.500" stroke-linecap="round" fill="none"/>',
  ),
};
