// The store simulator: what is chosen here is sent to the kiosk's local API (through
// the service, which holds the token) and to the service's own fault switches.

import { PICTURES } from './pictures.js';

/** @typedef {{ ageRange: string, gender: string }} Person */

const AGES = [
  '18_20',
  '21_24',
  '25_29',
  '30_34',
  '35_39',
  '40_44',
  '45_49',
  '50_54',
  '55_59',
  '60_64',
  '65_69',
  '70_74',
  '75_PLUS',
];
const GENDERS = {
  GENDER_FEMALE: 'woman',
  GENDER_MALE: 'man',
  GENDER_OTHER: 'other',
  GENDER_UNKNOWN: 'unknown',
};
/** @type {Record<string, Person[]>} */
const COMPANIES = {
  'A student': [{ ageRange: 'AGE_RANGE_21_24', gender: 'GENDER_FEMALE' }],
  'A couple': [
    { ageRange: 'AGE_RANGE_35_39', gender: 'GENDER_FEMALE' },
    { ageRange: 'AGE_RANGE_40_44', gender: 'GENDER_MALE' },
  ],
  'A pensioner': [{ ageRange: 'AGE_RANGE_70_74', gender: 'GENDER_MALE' }],
};
const GROCERIES = ['tomatoes', 'parmesan', 'basil', 'milk', 'bread', 'apples'];
const SKIES = [
  ['Sunny', 'WEATHER_TYPE_SUNNY'],
  ['Cloudy', 'WEATHER_TYPE_CLOUDY'],
  ['Rainy', 'WEATHER_TYPE_RAINY'],
  ['Snow', 'WEATHER_TYPE_SNOW'],
];

const SERVICE_GROUPS = ['token', 'inventory', 'ads', 'native', 'media', 'collector', 'landing'];
/** @param {{ kind: string, [setting: string]: unknown }} fault */
const everywhere = (fault) => Object.fromEntries(SERVICE_GROUPS.map((group) => [group, fault]));
const ok = (/** @type {string} */ body, /** @type {string} */ contentType) => ({
  kind: 'status',
  status: 200,
  body,
  contentType,
});
/** @type {{ name: string, about: string, faults: Record<string, { kind: string, [setting: string]: unknown }> }[]} */
const BEHAVIOURS = [
  { name: 'Fine', about: 'Everything answers', faults: {} },
  { name: 'No network', about: 'Every connection breaks', faults: everywhere({ kind: 'reset' }) },
  { name: 'Slow', about: 'Each answer takes 4\u00a0s', faults: everywhere({ kind: 'delay', delayMs: 4000 }) },
  {
    name: 'Overloaded',
    about: '503, come back in 20\u00a0s',
    faults: everywhere({ kind: 'status', status: 503, retryAfter: 20 }),
  },
  {
    name: 'No fill',
    about: 'No ads to show',
    faults: {
      ads: ok('<VAST version="4.2"/>', 'application/xml'),
      native: ok('{"status":"ok","ads":[]}', 'application/json'),
    },
  },
  { name: 'Captive portal', about: 'A web page for everything', faults: everywhere({ kind: 'html' }) },
  {
    name: 'Garbled',
    about: 'Broken ads and media',
    faults: {
      ads: { kind: 'garbage' },
      native: { kind: 'garbage' },
      media: { kind: 'truncate', afterBytes: 20000 },
    },
  },
  { name: 'Deaf collector', about: 'Beacons hang', faults: { collector: { kind: 'hang' } } },
];

/** How often the kiosk hears that people are still there; their signal lives for 10 s. */
const PRESENCE_EVERY_MS = 4000;
const LOOK_EVERY_MS = 1500;

const store = {
  /** @type {Person[]} */ people: [],
  counted: 0,
  /** @type {{ items: string[], skus: string[] }} */ cart: { items: [], skus: [] },
  /** @type {string | null} */ sky: null,
  /** @type {number | null} */ temperature: null,
  behaviour: 'Fine',
  fillsOnline: false,
  clockHours: 0,
};

/** @template {HTMLElement} [T=HTMLElement] @param {string} id @returns {T} */
const $ = (id) => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element #${id}`);
  return /** @type {T} */ (found);
};

/** @param {string} name @param {Record<string, unknown>} attributes @param {...(Node | string)} children */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, /** @type {EventListener} */ (value));
    else element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/** @param {string} name */
function picture(name) {
  const span = document.createElement('span');
  span.innerHTML = PICTURES[name] ?? '';
  return span;
}

/** @param {string} path @param {string} [method] @param {unknown} [body] */
async function call(path, method = 'GET', body) {
  const answer = await fetch(path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    }),
  });
  const text = await answer.text();
  /** @type {any} */
  let value = null;
  try {
    value = text === '' ? null : JSON.parse(text);
  } catch {
    value = { error: text };
  }
  return { ok: answer.ok, status: answer.status, value };
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let toastTimer;
/** @param {string} message */
function say(message) {
  const toast = $('toast');
  toast.textContent = message;
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => {
    toast.hidden = true;
  }, 4000);
}

/** @param {string} name @param {object | null} body null withdraws the signal */
async function signal(name, body) {
  const path = `/simulator/api/signals/${name}`;
  const answer = await call(path, body === null ? 'DELETE' : 'PUT', body ?? undefined).catch(() => null);
  if (answer === null) say('The service does not answer.');
  else if (answer.status === 503) say('No kiosk is connected yet: the choice is kept and sent when one is.');
  else if (!answer.ok)
    say(
      `The signal did not reach the kiosk or was rejected: ${answer.value?.message ?? answer.value?.error ?? answer.status}`,
    );
}

const sendPeople = () =>
  signal(
    'shopper',
    store.counted === 0 ? null : { people: store.people, groupSize: store.counted, ttlSeconds: 10 },
  );
const sendCart = () =>
  signal(
    'cart',
    store.cart.items.length + store.cart.skus.length === 0 ? null : { ...store.cart, ttlSeconds: 3600 },
  );
const sendWeather = () =>
  signal(
    'weather',
    store.sky === null && store.temperature === null
      ? null
      : {
          types: store.sky === null ? [] : [store.sky],
          ...(store.temperature !== null && { temperatureCelsius: store.temperature }),
          ttlSeconds: 10800,
        },
  );

/** @param {string} range */
const ageWords = (range) => range.replace('AGE_RANGE_', '').replace('_PLUS', '+').replace('_', '–');

const COATS = ['#1e6b52', '#e0872c', '#5a55c8', '#c3362b', '#2f7fb5', '#8f5a2a'];
/** @param {number} index @param {boolean} known */
const figure = (index, known) => {
  const coat = known ? COATS[index % COATS.length] : '#b9b4a6';
  return `<svg viewBox="0 0 46 68" aria-hidden="true"><circle cx="23" cy="14" r="11" fill="${known ? '#f0c9a4' : '#d8d3c6'}"/><path d="M12 12a11 11 0 0 1 22 0q-6-5-11-5t-11 5Z" fill="${known ? '#4a3427' : '#b9b4a6'}"/><path d="M5 66V46q0-18 18-18t18 18v20Z" fill="${coat}"/></svg>`;
};

function drawPeople() {
  const floor = $('floor');
  floor.replaceChildren(
    ...store.people.map((person, index) => {
      const button = make('button', {
        type: 'button',
        class: 'person',
        click: () => {
          store.people.splice(index, 1);
          store.counted -= 1;
          changedPeople();
        },
      });
      button.innerHTML = figure(index, true);
      button.append(
        make(
          'span',
          {},
          `${GENDERS[/** @type {keyof typeof GENDERS} */ (person.gender)]}, ${ageWords(person.ageRange)}`,
        ),
      );
      return button;
    }),
    ...Array.from({ length: store.counted - store.people.length }, (_, index) => {
      const button = make('button', { type: 'button', class: 'person uncounted', click: () => count(-1) });
      button.innerHTML = figure(index, false);
      button.append(make('span', {}, 'somebody'));
      return button;
    }),
  );
  $('counted').textContent = String(store.counted);
}

function changedPeople() {
  drawPeople();
  void sendPeople();
}

/** @param {number} by */
function count(by) {
  store.counted = Math.max(store.people.length, store.counted + by);
  changedPeople();
}

/** @param {Person[]} people */
function stepIn(people) {
  store.people.push(...people);
  store.counted += people.length;
  changedPeople();
}

function drawCart() {
  $('groceries').replaceChildren(
    ...GROCERIES.map((item) =>
      make(
        'button',
        {
          type: 'button',
          'aria-pressed': store.cart.items.includes(item),
          click: () => {
            if (store.cart.items.includes(item)) takeOut('items', item);
            else putIn('items', item);
          },
        },
        picture(item),
        item,
      ),
    ),
  );
  $('cart').replaceChildren(
    ...store.cart.items.map((item) =>
      make('button', { type: 'button', click: () => takeOut('items', item) }, item),
    ),
    ...store.cart.skus.map((sku) =>
      make('button', { type: 'button', click: () => takeOut('skus', sku) }, `SKU ${sku}`),
    ),
  );
}

/** @param {'items' | 'skus'} kind @param {string} entry */
function putIn(kind, entry) {
  if (!store.cart[kind].includes(entry)) store.cart[kind].push(entry);
  drawCart();
  void sendCart();
}

/** @param {'items' | 'skus'} kind @param {string} entry */
function takeOut(kind, entry) {
  store.cart[kind] = store.cart[kind].filter((other) => other !== entry);
  drawCart();
  void sendCart();
}

function drawWeather() {
  $('sky').replaceChildren(
    ...SKIES.map(([words = '', type = '']) =>
      make(
        'button',
        {
          type: 'button',
          'aria-pressed': store.sky === type,
          click: () => {
            store.sky = store.sky === type ? null : type;
            drawWeather();
            void sendWeather();
          },
        },
        picture(type),
        words,
      ),
    ),
  );
  $('degrees').textContent = store.temperature === null ? 'not reported' : `${store.temperature} °C`;
}

function drawService() {
  $('faults').replaceChildren(
    ...BEHAVIOURS.map(({ name, about }) =>
      make(
        'button',
        {
          type: 'button',
          role: 'radio',
          'aria-checked': store.behaviour === name,
          click: () => {
            store.behaviour = name;
            drawService();
            void sendFaults();
          },
        },
        name,
        make('small', {}, about),
      ),
    ),
  );
  $('online').setAttribute('aria-pressed', String(store.fillsOnline));
  $('online-effect').textContent = store.fillsOnline
    ? 'Each slot asks the service, which knows the shopper: see "online" among the plays.'
    : 'Slots are filled from the stored playlist.';
  const hours = store.clockHours;
  $('clock-shown').textContent =
    hours === 0 ? 'right' : `${Math.abs(hours)} h ${hours > 0 ? 'ahead' : 'behind'}`;
}

async function sendFaults() {
  const behaviour = BEHAVIOURS.find(({ name }) => name === store.behaviour);
  const answer = await call('/control/faults', 'PUT', {
    ...behaviour?.faults,
    ...(store.clockHours !== 0 && { clockOffsetSeconds: store.clockHours * 3600 }),
  }).catch(() => null);
  if (answer === null || !answer.ok) say('The service did not take the change.');
}

/** @param {string} iso @returns {string} */
const clockTime = (iso) => new Date(iso).toLocaleTimeString([], { hour12: false });

let shownMedia = '';
/** @param {any} status */
function drawKiosk(status) {
  $('sentence').textContent = status.sentence ?? status.state ?? 'Connected.';
  const facts = [
    ['state', status.state],
    ['now', status.now?.adId ?? status.now?.kind],
    ['next', status.next?.adId ?? status.next?.kind],
    ['playlist', status.playlist && `${status.playlist.playable} of ${status.playlist.ads} ads playable`],
    [
      'its clock',
      status.clock && `${clockTime(status.clock.now)}${status.clock.trusted ? ', from the service' : ''}`,
    ],
    [
      'signals',
      status.signals &&
        Object.keys(status.signals)
          .filter((name) => status.signals[name] !== null)
          .join(', '),
    ],
  ];
  $('facts').replaceChildren(
    ...facts.flatMap(([name, value]) => (value ? [make('dt', {}, name), make('dd', {}, String(value))] : [])),
  );
  const plays = [...(status.plays ?? [])].slice(-6).reverse();
  $('plays').replaceChildren(
    ...plays.map((/** @type {any} */ play) =>
      make(
        'li',
        {},
        make('time', {}, clockTime(play.at)),
        make('span', {}, play.adId),
        make('em', {}, `${play.delivery}, ${play.outcome}`),
      ),
    ),
  );
  const media = ownMedia(status.now?.mediaUrl);
  if (media === shownMedia) return;
  shownMedia = media;
  $('screen').replaceChildren(
    media === ''
      ? make('span', {}, status.now?.kind ?? 'nothing')
      : media.endsWith('.mp4')
        ? make('video', { src: media, autoplay: '', loop: '', playsinline: '' })
        : make('img', { src: media, alt: '' }),
  );
  const video = $('screen').querySelector('video');
  if (video !== null) video.muted = true;
}

/** The path of a creative of this very service; others are not loaded. @param {string | undefined} url */
function ownMedia(url) {
  if (url === undefined || !URL.canParse(url)) return '';
  const { pathname } = new URL(url);
  return pathname.startsWith('/media/') ? pathname : '';
}

let wasConnected = false;
async function look() {
  const link = $('link');
  const [kiosk, beacons] = await Promise.all([
    call('/simulator/api/status').catch(() => null),
    call('/control/beacons?last=40').catch(() => null),
  ]);
  const connected = kiosk?.ok === true;
  link.dataset.state = connected ? 'connected' : kiosk?.status === 502 ? 'unreachable' : 'none';
  link.textContent =
    kiosk === null
      ? 'the ad service does not answer'
      : connected
        ? 'kiosk connected'
        : kiosk.status === 502
          ? 'the kiosk does not answer'
          : 'no kiosk connected';
  if (connected) drawKiosk(kiosk.value);
  if (connected && !wasConnected) {
    if (store.counted > 0) void sendPeople();
    if (store.cart.items.length + store.cart.skus.length > 0) void sendCart();
    if (store.sky !== null || store.temperature !== null) void sendWeather();
  }
  wasConnected = connected;
  if (beacons?.ok === true) drawBeacons(beacons.value);
}

/** What is wrong with a beacon, or null. @param {any} beacon @returns {string | null} */
function flagOf(beacon) {
  if (beacon.fault !== null) return beacon.fault;
  if (beacon.agentDiffers) return 'another user agent than asked for the ad';
  return beacon.isReplay ? 'replay, counted once' : null;
}

/** @param {any[]} beacons */
function drawBeacons(beacons) {
  const list = [...beacons].reverse();
  $('beacon-count').textContent = String(list[0]?.sequence ?? 0);
  $('beacons').replaceChildren(
    ...list.map((beacon) =>
      make(
        'li',
        beacon.fault === null && !beacon.isReplay && !beacon.agentDiffers ? {} : { class: 'spoilt' },
        make('time', {}, clockTime(new Date(beacon.time).toISOString())),
        make('span', {}, beacon.path.replace('/collect/', '').replace('tracking/', '').replace('.gif', '')),
        make('em', {}, flagOf(beacon) ?? beacon.query.ad ?? ''),
      ),
    ),
  );
}

for (const age of AGES) $('age').append(make('option', { value: `AGE_RANGE_${age}` }, ageWords(age)));
for (const [value, words] of Object.entries(GENDERS)) $('gender').append(make('option', { value }, words));
/** @type {HTMLSelectElement} */ ($('age')).value = 'AGE_RANGE_25_29';

$('add-person').addEventListener('click', () => {
  const ageRange = /** @type {HTMLSelectElement} */ ($('age')).value;
  const gender = /** @type {HTMLSelectElement} */ ($('gender')).value;
  stepIn([{ ageRange, gender }]);
});
$('people-presets').append(
  ...Object.entries(COMPANIES).map(([name, people]) =>
    make('button', { type: 'button', click: () => stepIn(people.map((one) => ({ ...one }))) }, name),
  ),
);
$('fewer').addEventListener('click', () => count(-1));
$('more').addEventListener('click', () => count(1));
$('everyone-leaves').addEventListener('click', () => {
  store.people = [];
  store.counted = 0;
  changedPeople();
});
$('add-entry').addEventListener('submit', (event) => {
  event.preventDefault();
  const entry = /** @type {HTMLInputElement} */ ($('entry'));
  const kind = /** @type {HTMLSelectElement} */ ($('entry-kind')).value === 'skus' ? 'skus' : 'items';
  if (entry.value.trim() !== '') putIn(kind, entry.value.trim());
  entry.value = '';
});
$('empty-cart').addEventListener('click', () => {
  store.cart = { items: [], skus: [] };
  drawCart();
  void sendCart();
});
$('temperature').addEventListener('input', (event) => {
  store.temperature = Number(/** @type {HTMLInputElement} */ (event.target).value);
  drawWeather();
});
$('temperature').addEventListener('change', () => void sendWeather());
$('no-weather').addEventListener('click', () => {
  store.sky = null;
  store.temperature = null;
  drawWeather();
  void sendWeather();
});
$('clock').addEventListener('input', (event) => {
  store.clockHours = Number(/** @type {HTMLInputElement} */ (event.target).value);
  drawService();
});
$('clock').addEventListener('change', () => void sendFaults());
$('unplug').addEventListener('click', async () => {
  const answer = await call('/control/down', 'PUT', { seconds: 30 }).catch(() => null);
  say(answer?.ok === true ? 'The service is away for 30 seconds.' : 'The service does not answer.');
});
$('online').addEventListener('click', async () => {
  const fills = !store.fillsOnline;
  const answer = await call('/control/online', 'PUT', { fills }).catch(() => null);
  if (answer?.ok !== true) return say('The service did not take the change.');
  store.fillsOnline = fills;
  drawService();
});
$('revoke').addEventListener('click', async () => {
  const answer = await call('/control/tokens', 'DELETE').catch(() => null);
  say(
    answer?.ok === true
      ? 'All tokens are revoked; the kiosk has to request a new one.'
      : 'The service does not answer.',
  );
});

// What another page set before is shown, as far as it is one of the choices.
const faults = await call('/control/faults').catch(() => null);
if (faults?.ok === true) {
  const { clockOffsetSeconds = 0, ...groups } = faults.value;
  store.clockHours = Math.round(clockOffsetSeconds / 3600);
  /** @type {HTMLInputElement} */ ($('clock')).value = String(store.clockHours);
  const shape = JSON.stringify(Object.keys(groups).map((group) => [group, groups[group][0].kind]));
  const known = BEHAVIOURS.find(
    (one) =>
      JSON.stringify(Object.entries(one.faults).map(([group, fault]) => [group, fault.kind])) === shape,
  );
  store.behaviour = known?.name ?? '';
}
const online = await call('/control/online').catch(() => null);
store.fillsOnline = online?.value?.fills === true;
drawPeople();
drawCart();
drawWeather();
drawService();
await look();
setInterval(() => void look(), LOOK_EVERY_MS);
setInterval(() => {
  if (store.counted > 0 && wasConnected) void sendPeople();
}, PRESENCE_EVERY_MS);
