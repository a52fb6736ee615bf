/**
 * The container that an MRAID banner finds (MRAID 3.0, an inline placement): its state, its
 * sizes, and that it is viewable. It cannot grow or move, and has no device's abilities. `open`
 * is a way out like any other: main believes it with a tap only (rule 18).
 */
export const MRAID = `(() => {
  // A banner may ask for the file as well.
  if (window.mraid) return;
  const listeners = new Map();
  let state = 'loading';
  const fire = (event, ...details) => {
    for (const listener of [...(listeners.get(event) ?? [])]) {
      try { listener(...details); } catch (error) { reportError(error); }
    }
  };
  const refuse = (action) => () => fire('error', 'not supported here', action);
  const size = () => ({ width: innerWidth, height: innerHeight });
  const place = () => ({ x: 0, y: 0, ...size() });
  let expanding = {};
  window.mraid = {
    getVersion: () => '3.0',
    getState: () => state,
    getPlacementType: () => 'inline',
    isViewable: () => state === 'default',
    addEventListener(event, listener) {
      if (!listeners.has(event)) listeners.set(event, new Set());
      listeners.get(event).add(listener);
    },
    removeEventListener(event, listener) {
      if (listener === undefined) listeners.delete(event);
      else listeners.get(event)?.delete(listener);
    },
    getCurrentPosition: place,
    getDefaultPosition: place,
    getMaxSize: size,
    getScreenSize: size,
    getExpandProperties: () => ({ ...size(), useCustomClose: false, isModal: true, ...expanding }),
    setExpandProperties(properties) { expanding = { ...properties }; },
    getResizeProperties: () => place(),
    setResizeProperties() {},
    getOrientationProperties: () => ({ allowOrientationChange: false, forceOrientation: 'none' }),
    setOrientationProperties() {},
    getCurrentAppOrientation: () => ({
      orientation: innerWidth > innerHeight ? 'landscape' : 'portrait',
      locked: true,
    }),
    getLocation: () => -1,
    supports: () => false,
    useCustomClose() {},
    open(url) { window.open(typeof url === 'object' ? url?.url : url, '_blank', 'noopener'); },
    playVideo(url) { window.open(url, '_blank', 'noopener'); },
    expand: refuse('expand'),
    resize: refuse('resize'),
    storePicture: refuse('storePicture'),
    createCalendarEvent: refuse('createCalendarEvent'),
    close: refuse('close'),
    unload: refuse('unload'),
  };
  addEventListener('load', () => {
    state = 'default';
    fire('ready');
    fire('stateChange', state);
    fire('sizeChange', innerWidth, innerHeight);
    fire('viewableChange', true);
    fire('exposureChange', 100, place(), null);
  });
})();`;
