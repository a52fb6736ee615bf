/** A spelling by which an ad may try to reach something outside the public internet. */
export interface FencedCase {
  readonly what: string;
  /** The host part of a URL, as an ad would spell it. */
  readonly host: string;
  /** What the host resolves to, where it is a name. */
  readonly addresses?: readonly string[];
}

/** Each has to end without a connection, as an ad's URL, as a redirect's target, and through the proxy. */
export const FENCED_CASES: readonly FencedCase[] = [
  { what: 'loopback', host: '127.0.0.1' },
  { what: 'far loopback', host: '127.8.9.10' },
  { what: 'decimal', host: '2130706433' },
  { what: 'hexadecimal', host: '0x7f000001' },
  { what: 'hexadecimal parts', host: '0x7f.0x0.0x0.0x1' },
  { what: 'octal', host: '017700000001' },
  { what: 'octal parts', host: '0177.0.0.01' },
  { what: 'mixed notations', host: '0x7f.1' },
  { what: 'two parts', host: '127.1' },
  { what: 'three parts', host: '127.0.1' },
  { what: 'trailing dot', host: '127.0.0.1.' },
  { what: 'percent-encoded', host: '%31%32%37.0.0.1' },
  { what: 'full-width digits', host: '１２７.０.０.１' },
  { what: 'ideographic full stops', host: '127。0。0。1' },
  { what: 'circled digits', host: '①②⑦.0.0.1' },
  { what: 'unspecified', host: '0.0.0.0' },
  { what: 'unspecified, short', host: '0' },
  { what: 'private', host: '10.0.0.1' },
  { what: 'private', host: '172.16.0.1' },
  { what: 'private', host: '192.168.1.1' },
  { what: 'private, decimal', host: '3232235777' },
  { what: 'shared by a carrier', host: '100.64.0.1' },
  { what: 'link-local', host: '169.254.1.1' },
  { what: 'metadata service', host: '169.254.169.254' },
  { what: 'metadata service, decimal', host: '2852039166' },
  { what: 'multicast', host: '224.0.0.251' },
  { what: 'broadcast', host: '255.255.255.255' },
  { what: 'documentation', host: '192.0.2.1' },
  { what: 'loopback v6', host: '[::1]' },
  { what: 'loopback v6, written out', host: '[0000:0000:0000:0000:0000:0000:0000:0001]' },
  { what: 'unspecified v6', host: '[::]' },
  { what: 'mapped', host: '[::ffff:127.0.0.1]' },
  { what: 'mapped, in hex', host: '[::FFFF:7F00:1]' },
  { what: 'mapped metadata service', host: '[::ffff:169.254.169.254]' },
  { what: 'compatible', host: '[::127.0.0.1]' },
  { what: 'NAT64', host: '[64:ff9b::7f00:1]' },
  { what: '6to4', host: '[2002:7f00:1::]' },
  { what: 'Teredo', host: '[2001:0:7f00:1::]' },
  { what: 'unique local', host: '[fd00::1]' },
  { what: 'metadata service v6', host: '[fd00:ec2::254]' },
  { what: 'link-local v6', host: '[fe80::1]' },
  { what: 'multicast v6', host: '[ff02::1]' },
  { what: 'userinfo that looks like a host', host: 'public.example@127.0.0.1' },
  { what: 'userinfo with a password', host: 'public.example:443@127.0.0.1' },
  { what: 'backslash', host: '127.0.0.1\\@public.example' },
  { what: 'localhost', host: 'localhost', addresses: ['127.0.0.1', '::1'] },
  { what: 'localhost in upper case', host: 'LOCALHOST', addresses: ['::1'] },
  { what: 'localhost with a dot', host: 'localhost.', addresses: ['127.0.0.1'] },
  { what: 'a name that resolves to loopback', host: 'loop.example', addresses: ['127.0.0.1'] },
  { what: 'a name that resolves to loopback v6', host: 'loop6.example', addresses: ['::1'] },
  {
    what: 'a name that resolves to mapped loopback',
    host: 'mapped.example',
    addresses: ['::ffff:127.0.0.1'],
  },
  { what: 'a name that resolves to a private address', host: 'lan.example', addresses: ['192.168.0.10'] },
  { what: 'a name that resolves to the metadata service', host: 'm.example', addresses: ['169.254.169.254'] },
  { what: 'one private among public ones', host: 'mixed.example', addresses: ['1.1.1.1', '10.0.0.1'] },
  { what: 'a public v4 beside loopback v6', host: 'mixed6.example', addresses: ['1.1.1.1', '::1'] },
  { what: 'a name that resolves to a zone', host: 'zone.example', addresses: ['fe80::1%lo'] },
  { what: 'a name that resolves to another name', host: 'odd.example', addresses: ['localhost'] },
  { what: 'an internationalised name', host: 'lädchen.example', addresses: ['127.0.0.1'] },
  { what: 'a name with a port like a literal', host: 'a.127.0.0.1.nip.example', addresses: ['127.0.0.1'] },
  { what: 'the name that service uses, on another port', host: 'ads.example', addresses: ['127.0.0.1'] },
];

/** Hosts that the URL parser rejects. They must not cause a connection either. */
export const UNREADABLE_HOSTS: readonly string[] = [
  '[fe80::1%25lo]',
  '[::1',
  '256.256.256.256',
  '127.0.0.1.2.3',
  '0x7f.0.0.0.1',
  '1e3.0x',
  '127.0.0.1:port',
  'a b',
  '',
];
