/** Addresses that a hostile guest is given. */
export interface Targets {
  /** Receives the reports of the scripts; guests may reach it. */
  readonly collector: string;
  /** Port of a web server on this machine that must not be reached. */
  readonly port: number;
  /** A server that may be reached and sets a cookie. */
  readonly cookies: string;
}

type Result = 'ran' | 'threw' | 'timed-out' | 'crashed' | 'blocked';

export interface HostileScript {
  readonly name: string;
  readonly beacon: string;
  /** The result of the guest. A page that tries to leave interrupts its own loading and reports nothing more. */
  readonly result: Result | readonly Result[];
  /** Whether it always finishes and reports `done`. It reports each success before that. */
  readonly ends: boolean;
}

/** Each script tries things that a guest must not be able to do, and reports those that succeeded. */
export function hostileScripts({ collector, port, cookies }: Targets): HostileScript[] {
  const inside = `127.0.0.1:${port}`;
  const teller = (name: string) =>
    `const tell = (what) => fetch(${JSON.stringify(`${collector}/${name}`)} + '?what=' + encodeURIComponent(String(what).slice(0, 200)), { mode: 'no-cors' });
     const attempt = async (what, work) => { try { const got = await work(); if (got) tell(what); } catch {} };
     const soon = (promise) => Promise.race([promise, new Promise((_, no) => setTimeout(no, 1200))]);`;
  const script = (
    name: string,
    body: string,
    { result = 'ran', ends = true }: Partial<Pick<HostileScript, 'result' | 'ends'>> = {},
  ): HostileScript => ({
    name,
    beacon: `(async () => { ${teller(name)} ${body}; tell('done'); })();`,
    result,
    ends,
  });
  const markup = (name: string, html: string, result: HostileScript['result']): HostileScript => ({
    name,
    beacon: `${html}<script>(async () => { ${teller(name)} await new Promise((go) => setTimeout(go, 1000)); tell('done'); })();</script>`,
    result,
    ends: false,
  });
  // In parallel: a guest whose request was blocked may be closed before nine attempts of a second each are
  // over.
  const each = (list: readonly string[], work: string) =>
    `await Promise.all(${JSON.stringify(list)}.map((it) => attempt(it, async () => { ${work} })));`;
  const element = (tag: string, url: string) =>
    `await attempt(${JSON.stringify(`${tag} loaded`)}, () => soon(new Promise((yes, no) => { const it = document.createElement('${tag}'); it.onload = () => yes(true); it.onerror = no; it.setAttribute('src', ${JSON.stringify(url)}); document.body.append(it); })));`;

  const held = { result: 'blocked' } as const;
  const leaving = { result: 'timed-out', ends: false } as const;
  const staying = { ends: false } as const;
  return [
    // Six that last their whole time come first, so that the others run beside the last two.
    { ...script('endless-loop', `for (;;);`), result: 'timed-out', ends: false },
    {
      ...script('microtasks', `const on = () => queueMicrotask(on); on(); await 0`),
      result: 'timed-out',
      ends: false,
    },
    script(
      'top-navigation',
      `top.location.href = 'http://${inside}/top'; parent.location.assign('https://example.com/');
       window.open('http://${inside}/named', '_top'); location.replace('http://${inside}/replace');`,
      leaving,
    ),
    script(
      'schemes',
      `${each(['endcap://records/', 'endcap://kiosk/', 'media://cache/x', 'file:///etc/passwd', 'chrome://gpu', 'devtools://x'], 'return (await soon(fetch(it))).type')}
       for (const it of ['endcap://records/', 'endcap://kiosk/', 'file:///etc/passwd', 'chrome://crash', 'chrome://kill', 'mailto:x@example.com', 'tel:123', 'steam://run', 'javascript:document.title', 'view-source:http://${inside}', 'about:blank#blocked'])
         try { location.href = it; } catch {}`,
      leaving,
    ),
    script(
      'downloads',
      `const a = document.createElement('a'); a.download = 'x.exe'; a.href = 'data:application/octet-stream,x'; document.body.append(a); a.click();
       a.href = URL.createObjectURL(new Blob(['x'])); a.click();
       a.href = '${collector}/file'; a.click(); location.href = 'data:application/octet-stream;base64,AAAA';`,
      leaving,
    ),
    script(
      'closing',
      `window.close(); self.close(); resizeTo(9999, 9999); moveTo(-5, -5); window.focus(); blur();`,
      leaving,
    ),
    script(
      'node',
      `${each(['require', 'process', 'module', 'global', 'Buffer', '__dirname', 'electron', 'ipcRenderer', 'exports'], 'return it in globalThis')}
       await attempt('import', () => import('fs'));`,
    ),
    script(
      'preload',
      `${each(['endcap', 'endcapAdmin', 'endcapRecords', 'chrome.runtime'], "return it.split('.').reduce((on, key) => on?.[key], window)")}
       const frame = document.createElement('iframe'); document.body.append(frame);
       ${each(['require', 'process', 'endcap'], 'return frame.contentWindow[it]')}
       await attempt('embedder', () => parent !== window || top !== window || opener !== null || frameElement !== null);
       parent.postMessage({ type: 'tap', slot: 1, part: 'picture' }, '*');`,
    ),
    script(
      'pop-ups',
      `await attempt('opened', () => window.open('https://example.com/'));
       await attempt('opened blank', () => window.open());
       const a = document.createElement('a'); a.href = 'https://example.com/'; a.target = '_blank'; a.rel = 'opener'; document.body.append(a); a.click();
       a.dispatchEvent(new MouseEvent('click', { ctrlKey: true, bubbles: true }));`,
      staying,
    ),
    script(
      'dialogs',
      `alert('Call 0800'); await attempt('confirm', () => confirm('sure?')); await attempt('prompt', () => prompt('PIN?') !== null);
       await attempt('file picker', () => soon(showOpenFilePicker()));
       const input = document.createElement('input'); input.type = 'file'; document.body.append(input); input.click();`,
    ),
    script('print', `print(); document.execCommand('print');`),
    script(
      'staying',
      `onbeforeunload = (event) => { event.preventDefault(); event.returnValue = 'stay'; return 'stay'; };
       onunload = () => { for (const end = Date.now() + 60000; Date.now() < end;); };`,
      staying,
    ),
    script(
      'permissions',
      `${each(['geolocation', 'notifications', 'camera', 'microphone', 'midi', 'clipboard-read', 'persistent-storage', 'screen-wake-lock', 'local-fonts', 'window-management', 'idle-detection'], "return (await navigator.permissions.query({ name: it })).state === 'granted'")}
       await attempt('position', () => soon(new Promise((yes, no) => navigator.geolocation.getCurrentPosition(yes, no))));
       await attempt('notification', async () => (await soon(Notification.requestPermission())) === 'granted');
       await attempt('camera', () => soon(navigator.mediaDevices.getUserMedia({ video: true })));
       await attempt('screen', () => soon(navigator.mediaDevices.getDisplayMedia()));`,
    ),
    script(
      'devices',
      `${each(['usb', 'hid', 'serial', 'bluetooth'], 'return soon(navigator[it].getDevices().then((found) => found.length > 0))')}
       await attempt('usb asked', () => soon(navigator.usb.requestDevice({ filters: [] })));
       await attempt('wake lock', () => soon(navigator.wakeLock.request('screen')));
       await attempt('gamepads', () => navigator.getGamepads().some(Boolean));`,
    ),
    script(
      'clipboard',
      `await attempt('read', () => soon(navigator.clipboard.readText()));
       await attempt('write', () => soon(navigator.clipboard.writeText('from a guest').then(() => true)));
       const text = document.createElement('textarea'); text.value = 'from a guest'; document.body.append(text); text.select();
       document.execCommand('copy'); document.execCommand('cut'); await attempt('paste', () => document.execCommand('paste'));`,
    ),
    script(
      'full-screen',
      `await attempt('full screen', () => soon(document.documentElement.requestFullscreen().then(() => true)));
       await attempt('orientation', () => soon(screen.orientation.lock('portrait').then(() => true)));`,
    ),
    script(
      'pointer-lock',
      `document.body.requestPointerLock()?.catch(() => {}); await attempt('keyboard', () => soon(navigator.keyboard.lock().then(() => true)));
       await new Promise((go) => setTimeout(go, 300)); await attempt('locked', () => document.pointerLockElement !== null);`,
    ),
    // All of these work while the guest lives, and a later guest must not find what they stored.
    script(
      'storage-left',
      `localStorage.setItem('id', '1'); sessionStorage.setItem('id', '1'); document.cookie = 'id=1';
       await soon(new Promise((yes, no) => { const it = indexedDB.open('id'); it.onsuccess = yes; it.onerror = no; }));
       await soon(caches.open('id')); await soon(navigator.storage.getDirectory());
       await fetch('${cookies}/set', { mode: 'no-cors', credentials: 'include' });
       await fetch('${cookies}/same', { mode: 'no-cors', credentials: 'include' }); window.name = 'id';`,
    ),
    script(
      'storage-found',
      `await fetch('${cookies}/later', { mode: 'no-cors', credentials: 'include' });
       await attempt('local', () => localStorage.length + sessionStorage.length);
       await attempt('cookie', () => document.cookie);
       await attempt('databases', async () => (await indexedDB.databases()).length);
       await attempt('caches', async () => (await caches.keys()).length);
       await attempt('name', () => window.name); await attempt('history', () => history.length > 1);
       await attempt('channel', () => Promise.race([new Promise((yes) => { const it = new BroadcastChannel('id'); it.onmessage = yes; it.postMessage(1); }), new Promise((_, no) => setTimeout(no, 300))]));`,
    ),
    script(
      'service-worker',
      `await attempt('registered', () => soon(navigator.serviceWorker.register('/beacon.js')));
       await attempt('listed', async () => (await soon(navigator.serviceWorker.getRegistrations())).length > 0);`,
      held,
    ),
    script(
      'shared-worker',
      `const code = URL.createObjectURL(new Blob(['onconnect = (e) => e.ports[0].postMessage(1); postMessage(1)']));
       const heard = (it) => soon(new Promise((yes, no) => { it.onmessage = yes; it.onerror = no; if (it.port) it.port.onmessage = yes; }));
       await attempt('shared', () => heard(new SharedWorker(code))); await attempt('shared file', () => heard(new SharedWorker('/beacon.js')));
       await attempt('worker', () => heard(new Worker(code))); await attempt('data worker', () => heard(new Worker('data:text/javascript,postMessage(1)')));`,
      held,
    ),
    // Each console line and title is sent to main and to the kiosk window.
    { ...script('talking', `for (;;) console.log('x');`), result: 'crashed', ends: false },
    { ...script('titles', `for (let i = 0; ; i += 1) document.title = i;`), result: 'crashed', ends: false },
    {
      ...script('reporting', `for (;;) fetch('/report?word=x', { mode: 'no-cors' });`),
      result: 'threw',
      ends: false,
    },
    {
      name: 'loop-later',
      // On a busy machine a loop that begins before the answer can keep the request from being sent.
      beacon: `(async () => { ${teller('loop-later')} await tell('done'); setTimeout(() => { for (;;); }, 700); })();`,
      result: 'ran',
      ends: true,
    },
    {
      ...script('memory-bomb', `const all = []; for (;;) all.push(new Uint8Array(8 << 20).fill(1));`),
      // Whichever bound it meets first: at its low priority, some machines take longer than its time to fill 300 MB.
      result: ['crashed', 'timed-out'],
      ends: false,
    },
    {
      name: 'memory-bomb-later',
      // As above: memory that fills before the answer can end the process before the request is sent.
      beacon: `(async () => { ${teller('memory-bomb-later')} await tell('done'); const all = []; setInterval(() => { for (let i = 0; i < 4; i += 1) all.push(new Uint8Array(8 << 20).fill(1)); }, 10); })();`,
      result: 'ran',
      ends: true,
    },
    { ...script('crash', `document.title = 'crash me'; for (;;);`), result: 'crashed', ends: false },
    script('stack', `const deeper = () => deeper() + 1; try { deeper(); } catch {}`),
    { name: 'throws', beacon: `throw new Error('on purpose');`, result: 'threw', ends: false },
    script(
      'loopback-fetch',
      each(
        [
          '127.0.0.1',
          'localhost',
          '[::1]',
          '0.0.0.0',
          '2130706433',
          '0x7f.1',
          '127.1',
          'x.localhost',
          '[::ffff:127.0.0.1]',
        ].map((host) => `http://${host}:${port}/fetch`),
        'return (await soon(fetch(it))).ok;',
      ),
      held,
    ),
    script(
      'lan-images',
      `${['10.0.0.1', '192.168.0.1', '169.254.169.254/latest/meta-data', '172.16.0.1', `${inside}/image`]
        .map((host) => element('img', `http://${host}`))
        .join('\n')}`,
      held,
    ),
    script(
      'loopback-elements',
      `${['script', 'video'].map((tag) => element(tag, `http://${inside}/${tag}`)).join('\n')}
       // These load an error page where they load nothing: who connects is looked at instead.
       for (const [tag, attribute] of [['iframe', 'src'], ['embed', 'src'], ['object', 'data']]) { const it = document.createElement(tag); it.setAttribute(attribute, 'http://${inside}/' + tag); document.body.append(it); }
       navigator.sendBeacon('http://${inside}/beacon', 'x');
       const form = document.createElement('form'); form.action = 'http://${inside}/form'; form.method = 'post'; document.body.append(form); form.submit();`,
      { result: 'blocked', ends: false },
    ),
    script(
      'websocket',
      each(
        [`ws://${inside}/`, `ws://localhost:${port}/`, 'ws://10.0.0.1/'],
        'return soon(new Promise((yes, no) => { const socket = new WebSocket(it); socket.onopen = () => yes(true); socket.onerror = no; }))',
      ),
      held,
    ),
    script(
      'webrtc',
      // Waiting for candidates takes time: a guest whose request was blocked may be closed before.
      `await Promise.all([attempt('candidate', () => soon(new Promise((yes) => { const it = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${inside}' }, { urls: 'turn:${inside}?transport=tcp', username: 'u', credential: 'c' }] });
         it.createDataChannel('x'); it.onicecandidate = ({ candidate }) => yes(candidate !== null); it.createOffer().then((offer) => it.setLocalDescription(offer)); }))),
         attempt('transport', () => soon(new WebTransport('https://${inside}/').ready.then(() => true)))]);`,
      { ...held, ends: false },
    ),
    markup('meta-refresh', `<meta http-equiv="refresh" content="0;url=http://${inside}/refresh">`, 'blocked'),
    markup(
      'base-and-form',
      `<base href="http://${inside}/"><form id="f" action="/posted"><input name="x"></form><script>document.getElementById('f').submit()</script><link rel="stylesheet" href="http://${inside}/style"><link rel="prefetch" href="http://${inside}/prefetch">`,
      'blocked',
    ),
    markup(
      'nested-webview',
      `<webview src="http://${inside}/webview" nodeintegration partition="persist:x" preload="file:///etc/passwd" style="width:9px;height:9px"></webview>`,
      'ran',
    ),
    script(
      'guest-in-guest',
      `const it = document.createElement('webview'); it.src = 'https://example.com/'; document.body.append(it);
       await attempt('is a guest', () => typeof it.getURL === 'function' || it.shadowRoot);
       await attempt('other guest', async () => (await soon(fetch('http://x.localhost/'))).ok);`,
      held,
    ),
    // These addresses belong to no guest or to another one; a guest that floods them is closed. The
    // requests that it leaves in Chromium are not blamed on the guest that has its partition next.
    {
      ...script(
        'flooding',
        `for (;;) { for (let i = 0; i < 50; i += 1) fetch('http://x' + i + '.localhost/', { mode: 'no-cors' }).catch(() => {}); await new Promise((go) => setTimeout(go, 5)); }`,
      ),
      // On a slow machine the guest's time is over before it has sent enough requests.
      result: ['crashed', 'blocked'],
      ends: false,
    },
    script(
      'closing-tag',
      `const s = "</scr" + "ipt></body></html>"; const t = "</script><script>document.title='out'</script>"; await attempt('broke out', () => document.title === 'out' || document.scripts.length > 2);`,
    ),
    script(
      'rewriting',
      `document.open(); document.write('<h1>Free beer</h1><script>parent.x = 1</' + 'script>'); document.close();`,
      staying,
    ),
  ];
}
