/** A self-contained banner, except for one picture. */
export const plainBanner = (origin: string): string =>
  `<!doctype html><meta charset="utf-8"><style>
html,body{margin:0;height:100%;font-family:system-ui,sans-serif;background:#173b8f;color:#fff4d6;overflow:hidden}
a{display:flex;flex-direction:column;justify-content:flex-end;box-sizing:border-box;height:100%;padding:8%;color:inherit;text-decoration:none;
background:linear-gradient(#173b8f00 35%,#0d2560 78%),url("${origin}/media/native-papperi-banner.jpg") center/cover}
b{font-size:13vmin;line-height:1;letter-spacing:-.03em}i{font-style:normal;font-size:6vmin;margin-top:4%}
span{align-self:flex-start;margin-top:7%;padding:3.5% 8%;border-radius:99px;background:#ffc531;color:#0d2560;font-weight:700;font-size:6vmin;animation:p 2s infinite ease-in-out}
@keyframes p{50%{transform:scale(1.06)}}</style>
<a href="${origin}/landing/papperi"><b>Pasta night?</b><i>Three recipes, twenty minutes.</i><span>Cook tonight</span></a>`;

/**
 * A banner like those of many networks: an external style sheet, a frame, and a script that stores a farm's
 * name in a cookie and shows the name that it reads back.
 */
export const framedBanner = (origin: string, pixel: string): string =>
  `<link rel="stylesheet" href="${origin}/landing/nordhain-banner.css">
<a class="nordhain" href="${origin}/landing/nordhain">
<iframe title="Three farms" src="${origin}/landing/nordhain-farms.html" scrolling="no"></iframe>
<b>Oats from <span id="farm">the north</span></b><i>Water, oats, a little rapeseed oil, salt.</i><em>Meet the farms</em></a>
<script>
(() => {
  const FARMS = { asker: 'Asker', lunde: 'Lunde', rosvik: 'Rosvik' };
  const names = Object.keys(FARMS);
  document.cookie = 'farm=' + names[Math.floor(Math.random() * names.length)];
  const [, kept] = /(?:^|; )farm=(\\w+)/.exec(document.cookie) ?? [];
  if (kept in FARMS) document.getElementById('farm').textContent = FARMS[kept];
  new Image().src = ${JSON.stringify(pixel)};
})();
</script>`;

/** A banner that uses MRAID: for its start, its size, and to open its link. */
export const mraidBanner = (origin: string, pixel: string): string =>
  `<script src="mraid.js"></script>
<style>
html,body{height:100%;background:#1d100b;color:#ffb36b;font-family:system-ui,sans-serif}
#ad{display:flex;flex-direction:column;justify-content:flex-end;box-sizing:border-box;height:100%;padding:8%;
background:linear-gradient(#1d100b00 30%,#1d100b 76%),url("${origin}/media/native-kiosko-banner.jpg") center/cover}
b{font-size:13vmin;line-height:1;letter-spacing:-.03em}i{font-style:normal;font-size:7vmin;margin-top:4%;color:#fff}
span{align-self:flex-start;margin-top:7%;padding:3.5% 8%;border-radius:99px;background:#ffb36b;color:#1d100b;font-weight:700;font-size:6vmin}
.wide b{font-size:9vmin}</style>
<div id="ad"><b>Four flavours. One cold shelf.</b><i id="flavour">Original</i><span>See them all</span></div>
<script>
(() => {
  const FLAVOURS = ['Original', 'Oat', 'Orange Peel', 'Salted Caramel'];
  const ad = document.getElementById('ad');
  const flavour = document.getElementById('flavour');
  let turn = 0;
  let timer = null;
  const pour = () => { flavour.textContent = FLAVOURS[++turn % FLAVOURS.length]; };
  const seen = (isViewable) => {
    if (!isViewable || timer !== null) return;
    timer = setInterval(pour, 1200);
    new Image().src = ${JSON.stringify(pixel)};
  };
  const begin = () => {
    const { width, height } = mraid.getMaxSize();
    ad.classList.toggle('wide', width > height);
    seen(mraid.isViewable());
    mraid.addEventListener('viewableChange', seen);
  };
  ad.addEventListener('click', () => mraid.open(${JSON.stringify(`${origin}/landing/kiosko`)}));
  if (mraid.getState() === 'loading') mraid.addEventListener('ready', begin);
  else begin();
})();
</script>`;

/** What the framed banner loads, by its name under `/landing/`. */
export const BANNER_FILES: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  'nordhain-banner.css': {
    type: 'text/css; charset=utf-8',
    text: `html,body{height:100%;background:#16382a;color:#f6e7c8;font-family:system-ui,sans-serif}
.nordhain{display:flex;flex-direction:column;box-sizing:border-box;height:100%;padding-bottom:8%;color:inherit;text-decoration:none}
.nordhain>:not(iframe){margin:4% 8% 0}
.nordhain iframe{flex:1;width:100%;min-height:0;border:0;pointer-events:none}
.nordhain b{font-size:12vmin;line-height:1;letter-spacing:-.03em}
.nordhain i{font-style:normal;font-size:6vmin}
.nordhain em{align-self:flex-start;padding:3.5% 8%;border-radius:99px;background:#f6e7c8;color:#16382a;font-style:normal;font-weight:700;font-size:6vmin}`,
  },
  'nordhain-farms.html': {
    type: 'text/html; charset=utf-8',
    text: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Three farms</title><style>
html,body{margin:0;height:100%;overflow:hidden;background:#16382a}
div{height:100%;background:url("/media/native-nordhain-banner.jpg") center/cover;animation:pan 9s infinite alternate ease-in-out}
@keyframes pan{from{background-position:20% 50%}to{background-position:80% 50%}}</style><div></div></html>`,
  },
};
