/**
 * Window events by which main notifies the container that the slot's first frame was presented, and that the
 * banner left the screen. A banner that dispatches one itself misleads only itself.
 */
export const VIEWABLE_EVENTS = { shown: 'endcap-banner-shown', gone: 'endcap-banner-gone' } as const;

/**
 * The MRAID container for banners (MRAID 3.0, inline placement): state, sizes, and whether the banner is
 * viewable, that is, on the screen. The banner cannot expand or move, and gets no device features. `open`
 * counts only with a tap, like any other link (rule 18).
 */
export const MRAID = `(() => {
  // A banner may ask for the file as well.
  if (window.mraid) return;
  const listeners = new Map();
  let state = 'loading';
  let isShown = false;
  const fire = (event, ...details) => {
    for (const listener of [...(listeners.get(event) ?? [])]) {
      try { listener(...details); } catch (error) { reportError(error); }
    }
  };
  const refuse = (action) => () => fire('error', 'not supported here', action);
  const size = () => ({ width: innerWidth, height: innerHeight });
  const place = () => ({ x: 0, y: 0, ...size() });
  const tellViewable = () => {
    fire('viewableChange', isShown);
    fire('exposureChange', isShown ? 100 : 0, isShown ? place() : null, null);
  };
  const show = (shown) => () => {
    if (shown === isShown) return;
    isShown = shown;
    if (state === 'default') tellViewable();
  };
  addEventListener('${VIEWABLE_EVENTS.shown}', show(true));
  addEventListener('${VIEWABLE_EVENTS.gone}', show(false));
  let expanding = {};
  window.mraid = {
    getVersion: () => '3.0',
    getState: () => state,
    getPlacementType: () => 'inline',
    isViewable: () => state === 'default' && isShown,
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
    if (isShown) tellViewable();
  });
})();`;
