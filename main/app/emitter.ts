/** Passes typed events on; `Events` is a map from their names to what their listeners are called with. */
export interface Emitter<Events extends { [Name in keyof Events]: readonly unknown[] }> {
  /** Calls the listeners of the event at once, in the order in which they came. */
  emit<Name extends keyof Events>(name: Name, ...told: Events[Name]): void;
  on<Name extends keyof Events>(name: Name, listener: (...told: Events[Name]) => void): void;
  /** Resolves with the first event from now on of which `matches` says so. */
  first<Name extends keyof Events>(name: Name, matches: (...told: Events[Name]) => boolean): Promise<void>;
}

export function createEmitter<
  Events extends { [Name in keyof Events]: readonly unknown[] },
>(): Emitter<Events> {
  const listeners: { [Name in keyof Events]?: Array<(...told: Events[Name]) => void> } = {};
  const on: Emitter<Events>['on'] = (name, listener) => {
    listeners[name] = [...(listeners[name] ?? []), listener];
  };
  return {
    emit(name, ...told) {
      for (const listener of listeners[name] ?? []) listener(...told);
    },
    on,
    first: (name, matches) =>
      new Promise((resolve) =>
        on(name, (...told) => {
          if (matches(...told)) resolve();
        }),
      ),
  };
}
