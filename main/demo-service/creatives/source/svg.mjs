// Small building blocks for the posters: everything is a string of SVG.

export const text = (x, y, size, content, options = {}) => {
  const {
    font = 'Inter Display',
    weight = 700,
    fill = '#fff',
    anchor = 'start',
    spacing = 0,
    opacity = 1,
    style = 'normal',
    more = '',
  } = options;
  return `<text x="${x}" y="${y}" font-family="${font}" font-weight="${weight}" font-size="${size}" font-style="${style}" fill="${fill}" text-anchor="${anchor}" letter-spacing="${spacing * size}" opacity="${opacity}" ${more}>${content}</text>`;
};

/** Lines of text, one under the other. */
export const lines = (x, y, size, leading, contents, options = {}) =>
  contents.map((content, index) => text(x, y + index * size * leading, size, content, options)).join('');

export const at = (x, y, scale, turn, content) =>
  `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${scale})">${content}</g>`;

/** Linear gradient with the given stops, along x1 y1 x2 y2 (fractions of the box). */
export const gradient = (id, direction, stops) => {
  const [x1, y1, x2, y2] = direction;
  return `<linearGradient id="${id}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}">${stopList(stops)}</linearGradient>`;
};
export const radial = (id, stops, [cx, cy, r] = [0.5, 0.5, 0.5]) =>
  `<radialGradient id="${id}" cx="${cx}" cy="${cy}" r="${r}">${stopList(stops)}</radialGradient>`;
const stopList = (stops) =>
  stops
    .map(([offset, color, opacity = 1]) => `<stop offset="${offset}" stop-color="${color}" stop-opacity="${opacity}"/>`)
    .join('');

export const softShadow = (id, blur) =>
  `<filter id="${id}" x="-60%" y="-60%" width="220%" height="220%"><feGaussianBlur stdDeviation="${blur}"/></filter>`;

/** 0 before `from`, 1 after `from + length` (seconds), fast first and gentle at the end. */
export const easeOut = (t, from, length) => 1 - (1 - ramp(t, from, length)) ** 3;
/** Goes a little past 1 before it settles there. */
export const overshoot = (t, from, length) => {
  const p = ramp(t, from, length) - 1;
  return 1 + 2.6 * p ** 3 + 1.6 * p ** 2;
};
const ramp = (t, from, length) => Math.min(1, Math.max(0, (t - from) / length));
export const wave = (t, period, phase = 0) => Math.sin((2 * Math.PI * (t + phase)) / period);

/** A line that rises into place out of nowhere, cut off at its base line. */
export const rising = (t, from, x, y, size, content, options = {}) => {
  const p = easeOut(t, from, 0.55);
  if (p === 0) return '';
  const id = `rise-${Math.round(x)}-${Math.round(y)}`;
  const top = y - size * 0.95;
  return `<clipPath id="${id}"><rect x="-200" y="${top}" width="2600" height="${size * 1.22}"/></clipPath><g clip-path="url(#${id})">${text(x, y + (1 - p) * size * 1.2, size, content, options)}</g>`;
};

/** A round price tag with the price and what it buys. */
export const priceTag = (x, y, radius, price, unit, { fill, ink, turn = -8, scale = 1, size = 0.72, font = 'Inter Display' }) =>
  at(
    x,
    y,
    scale,
    turn,
    `<circle r="${radius}" fill="${fill}"/>${text(0, radius * 0.2, radius * size, price, { anchor: 'middle', fill: ink, weight: 800, spacing: -0.04, font })}${text(0, radius * 0.55, radius * 0.24, unit, { anchor: 'middle', fill: ink, weight: 600, font })}`,
  );

export const document = (width, height, body) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="100%" height="100%">${body}</svg>`;
