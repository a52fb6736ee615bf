const HOST =
  /^(?:\[([0-9A-Fa-f:.]{2,45})\]|(?:\*?\.)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?)(?::[1-9]\d{0,4})?$/;

/** Whether `network.noProxy` may hold this: `host`, `host:port`, `.domain`, `[v6]` or a network such as `10.0.0.0/8`. */
export function isNoProxyEntry(entry: string): boolean {
  const network = /^([0-9A-Fa-f:.]{2,45})\/(\d{1,3})$/.exec(entry);
  if (network) {
    const [, address = '', bits = ''] = network;
    if (isV6(address)) return Number(bits) <= 128;
    return (
      /^\d{1,3}(?:\.\d{1,3}){3}$/.test(address) && URL.canParse(`http://${address}`) && Number(bits) <= 32
    );
  }
  const host = HOST.exec(entry);
  return host !== null && (host[1] === undefined || isV6(host[1]));
}

const isV6 = (address: string) => address.includes(':') && URL.canParse(`http://[${address}]`);
