import type { Fence } from '../service/fence/fence';

/** Hosts of guests are nobody's but their own: no name server is asked for them. */
export const withoutGuests = (fence: Fence): Fence => ({
  async resolve(url, purpose) {
    if (!/\.localhost\.?$/.test(url.hostname)) return fence.resolve(url, purpose);
    return { ok: false, code: 'fenced', message: `${url.hostname} is not a host of this page` };
  },
});

/** Of a page without network (rule 13): no name is looked up for it, and nothing is reached. */
export const NO_NETWORK: Fence = {
  resolve: async ({ hostname }) => ({
    ok: false,
    code: 'fenced',
    message: `${hostname} was asked for by a page, which has no network`,
  }),
};
