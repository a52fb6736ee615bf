import { type Answer, bareAnswer, type ServiceRequest, textAnswer } from './http-answer';
import { BANNER_FILES } from './native-banners';

type Landing = Readonly<Record<'title' | 'claim' | 'text' | 'back' | 'ink', string>>;

/** Where the native ads' links lead. */
const LANDINGS: Readonly<Record<string, Landing>> = {
  kiosko: {
    title: 'Kiosko Cold Brew',
    claim: 'Four flavours. One cold shelf.',
    text: 'Original, Oat, Orange Peel and Salted Caramel: in the cooler by the tills, aisle 1.',
    back: '#1d100b',
    ink: '#ffb36b',
  },
  nordhain: {
    title: 'Nordhain Oat Drink',
    claim: 'Three farms, one short list of ingredients.',
    text: 'Water, oats, a little rapeseed oil, salt. In the dairy aisle, next to the milk.',
    back: '#16382a',
    ink: '#f6e7c8',
  },
  basketry: {
    title: 'Basketry',
    claim: 'One list for the whole household.',
    text: 'Write it on the sofa, tick it off in the aisle. Free for up to six people.',
    back: '#20205e',
    ink: '#bfe3ff',
  },
  papperi: {
    title: 'Papperi',
    claim: 'Pasta night, twenty minutes.',
    text: 'Limone and black pepper. Tomato and burnt butter. Cavolo nero and anchovy. All in aisle 4.',
    back: '#173b8f',
    ink: '#ffd04d',
  },
  volt: {
    title: 'Volt Sparkling',
    claim: 'Zero sugar, all spark.',
    text: 'Next to the sandwiches. Also in the six-pack.',
    back: '#0c0d12',
    ink: '#d6ff3d',
  },
  'about-this-ad': {
    title: 'Why this ad?',
    claim: 'Because of where you are, not who you are.',
    text: 'This advertisement was chosen for this store and this screen. Nothing about you was stored.',
    back: '#f2f2ee',
    ink: '#23262d',
  },
};

/**
 * `/landing/<name>`: the page of a click-through, or a file of a banner. `/go/<name>`: two redirects on the
 * way there, as ad networks make them.
 */
export function landingEndpoint(request: ServiceRequest, origin: string): Answer {
  const [, kind, name = '', hop] = request.path.split('/');
  const file = kind === 'landing' ? BANNER_FILES[name] : undefined;
  if (file !== undefined) return textAnswer(200, file.type, file.text);
  const landing = LANDINGS[name];
  if (landing === undefined) return bareAnswer(404);
  if (kind === 'go') {
    const next = hop === undefined ? `${origin}/go/${name}/2` : `${origin}/landing/${name}`;
    return bareAnswer(302, { Location: next });
  }
  return textAnswer(200, 'text/html; charset=utf-8', page(landing));
}

function page({ title, claim, text, back, ink }: Landing): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>
html,body{margin:0;min-height:100vh;background:${back};color:${ink};font-family:system-ui,sans-serif}
main{box-sizing:border-box;min-height:100vh;display:flex;flex-direction:column;justify-content:center;gap:4vmin;padding:10vmin}
h1{margin:0;font-size:5vmin;font-weight:600;letter-spacing:.02em}
p{margin:0;max-width:24em;font-size:4vmin;line-height:1.4;opacity:.85}
strong{font-size:13vmin;line-height:1;letter-spacing:-.03em;max-width:9em}
</style></head><body><main><h1>${title}</h1><strong>${claim}</strong><p>${text}</p></main></body></html>`;
}
