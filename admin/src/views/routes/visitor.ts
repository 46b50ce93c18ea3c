// What describes a visitor: the parameters of `decide`, and the headers of some common devices.

export const VISITOR_FIELDS = [
  { name: 'userAgent', label: 'User agent', description: 'The header of a browser; tells the device' },
  {
    name: 'acceptLanguage',
    label: 'Accepted languages',
    description: 'As in Accept-Language: fr, en-GB;q=0.5',
  },
  { name: 'address', label: 'Address', description: 'IPv4 or IPv6; tells country and network' },
  {
    name: 'country',
    label: 'Country of the visitor',
    description: 'A code such as GB, in place of what the address tells',
  },
  {
    name: 'network',
    label: 'Network of the visitor',
    description: 'Such as cable, in place of what the address tells',
  },
] as const;

export const EXAMPLES = [
  {
    label: 'Desktop: Firefox on Windows',
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  },
  {
    label: 'Phone: Safari on iPhone',
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  },
  {
    label: 'Phone: Chrome on Android',
    userAgent:
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  },
  {
    label: 'Tablet: Safari on iPad',
    userAgent:
      'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  },
  {
    label: 'Television: Samsung',
    userAgent:
      'Mozilla/5.0 (SMART-TV; LINUX; Tizen 8.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/8.0 TV Safari/537.36',
  },
] as const;
