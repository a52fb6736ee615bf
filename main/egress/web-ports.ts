/**
 * Ports from 1024 on that browsers never open ("bad ports" of the Fetch standard):
 * what listens there is no web server, but may obey lines of a request.
 */
const BAD_PORTS = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
];

/**
 * Databases, queues and remote administration: no ad is served there, and some accept commands without a
 * login.
 */
const SERVICE_PORTS = [
  1080, // SOCKS
  1433,
  1434, // SQL Server
  1521, // Oracle
  1883,
  8883, // MQTT
  2181, // ZooKeeper
  2375,
  2376, // Docker
  2379,
  2380, // etcd
  3306, // MySQL
  3389, // Remote Desktop
  5432, // PostgreSQL
  5671,
  5672, // AMQP
  5900,
  5901, // VNC
  5984, // CouchDB
  5985,
  5986, // Windows remote management
  6379,
  6380, // Redis
  6443, // Kubernetes
  7547, // routers' remote management (TR-069)
  9042, // Cassandra
  9092, // Kafka
  9100, // printers
  9200,
  9300, // Elasticsearch
  10250, // Kubernetes
  11211, // memcached
  27017,
  27018,
  27019, // MongoDB
];

const CLOSED: ReadonlySet<number> = new Set([...BAD_PORTS, ...SERVICE_PORTS]);

/**
 * Whether an ad's URL may use this port of a public host (rule 22): 80, 443, or one from 1024 on that is
 * neither a "bad port" of browsers nor known for a database, a queue or remote administration. So an ad
 * cannot use a kiosk to talk to such services from the store's address.
 */
export function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && port <= 65_535 && !CLOSED.has(port));
}
