//! A map with structural sharing.
//!
//! A snapshot of the catalog is taken after every save. Copying a map of fifty thousand entries for
//! that would cost milliseconds; here a clone is one reference count, and the first change after a
//! clone copies two rows of pointers and one shard. The shards are many and small, so that a batch of
//! some hundred notes does not copy all of them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use note::RelPath;

/// How many rows there are, and how many shards in each; a shard of a very large vault holds a dozen
/// entries.
const N: usize = 64;

/// One shard: a sorted vector, because that is copied faster than a hash table. Sorted by hash first,
/// because a comparison of keys has to fetch them from all over the memory.
type Shard<K, V> = Arc<Vec<Slot<K, V>>>;
type Row<K, V> = Arc<Vec<Shard<K, V>>>;

#[derive(Debug, Clone)]
struct Slot<K, V> {
    hash: u64,
    key: K,
    value: V,
}

/// A cheaply cloned map from `K` to `V`.
#[derive(Debug, Clone)]
pub(crate) struct Shards<K, V> {
    /// Empty until the first insertion.
    rows: Arc<Vec<Row<K, V>>>,
    len: usize,
}

impl<K, V> Default for Shards<K, V> {
    fn default() -> Self {
        Shards { rows: Arc::default(), len: 0 }
    }
}

impl<K: Hash + Ord + Clone, V: Clone> Shards<K, V> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Ord + ?Sized,
    {
        let hash = hash_of(key);
        let shard = self.shard(hash)?;
        let at = place(shard, hash, key).ok()?;
        Some(&shard[at].value)
    }

    /// The value at `key`, to be changed; nothing is copied if there is none.
    pub(crate) fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Ord + ?Sized,
    {
        let hash = hash_of(key);
        let at = place(self.shard(hash)?, hash, key).ok()?;
        Some(&mut self.shard_mut(hash)[at].value)
    }

    /// Inserts `value` and returns what was there.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let hash = hash_of(&key);
        let shard = self.shard_mut(hash);
        match place(shard, hash, &key) {
            Ok(at) => Some(std::mem::replace(&mut shard[at].value, value)),
            Err(at) => {
                shard.insert(at, Slot { hash, key, value });
                self.len += 1;
                None
            }
        }
    }

    pub(crate) fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Ord + ?Sized,
    {
        let hash = hash_of(key);
        // Looked up first, so that removing nothing copies nothing.
        let at = place(self.shard(hash)?, hash, key).ok()?;
        let slot = self.shard_mut(hash).remove(at);
        self.len -= 1;
        Some(slot.value)
    }

    /// The value at `key`, made from nothing if there is none.
    pub(crate) fn entry(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        let hash = hash_of(&key);
        let mut n_new = 0;
        let shard = self.shard_mut(hash);
        let at = place(shard, hash, &key).unwrap_or_else(|at| {
            n_new = 1;
            shard.insert(at, Slot { hash, key, value: V::default() });
            at
        });
        self.len += n_new;
        &mut self.shard_mut(hash)[at].value
    }

    /// Every pair, in no useful order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.rows.iter().flat_map(|row| row.iter().flat_map(|shard| shard.iter().map(|slot| (&slot.key, &slot.value))))
    }

    fn shard(&self, hash: u64) -> Option<&[Slot<K, V>]> {
        Some(self.rows.get(row_of(hash))?.get(shard_of(hash))?.as_slice())
    }

    fn shard_mut(&mut self, hash: u64) -> &mut Vec<Slot<K, V>> {
        let rows = Arc::make_mut(&mut self.rows);
        if rows.is_empty() {
            // One empty shard and one empty row stand for all until they are written to.
            rows.resize(N, Arc::new(vec![Shard::default(); N]));
        }
        let row = Arc::make_mut(&mut rows[row_of(hash)]);
        Arc::make_mut(&mut row[shard_of(hash)])
    }
}

/// Where the key is in its shard, or where it belongs.
fn place<K, V, Q>(shard: &[Slot<K, V>], hash: u64, key: &Q) -> Result<usize, usize>
where
    K: std::borrow::Borrow<Q>,
    Q: Ord + ?Sized,
{
    shard.binary_search_by(|slot| slot.hash.cmp(&hash).then_with(|| slot.key.borrow().cmp(key)))
}

fn hash_of<Q: Hash + ?Sized>(key: &Q) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

fn row_of(hash: u64) -> usize {
    (hash % N as u64) as usize
}

fn shard_of(hash: u64) -> usize {
    (hash / N as u64 % N as u64) as usize
}

/// A map from a key to the paths that have it, each list in path order.
pub(crate) type PathsBy<K> = Shards<K, Arc<Vec<RelPath>>>;

impl<K: Hash + Ord + Clone> PathsBy<K> {
    pub(crate) fn paths<Q>(&self, key: &Q) -> &[RelPath]
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Ord + ?Sized,
    {
        self.get(key).map_or(&[], |paths| paths.as_slice())
    }

    pub(crate) fn add(&mut self, key: K, path: &RelPath) {
        let paths = Arc::make_mut(self.entry(key));
        // Most lists stay at one path, and room for four in each takes megabytes in a large vault.
        if paths.is_empty() {
            paths.reserve_exact(1);
        }
        // Mostly files come in path order.
        if paths.last().is_none_or(|last| last < path) {
            paths.push(path.clone());
        } else if let Err(at) = paths.binary_search(path) {
            paths.insert(at, path.clone());
        }
    }

    pub(crate) fn drop_path<Q>(&mut self, key: &Q, path: &RelPath)
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Ord + ?Sized,
    {
        let paths = self.paths(key);
        let Ok(at) = paths.binary_search(path) else {
            return;
        };
        if paths.len() == 1 {
            self.remove(key);
        } else if let Some(paths) = self.get_mut(key) {
            Arc::make_mut(paths).remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_keeps_what_it_saw() {
        let mut map: Shards<String, u32> = Shards::default();
        for n in 0..2000u32 {
            map.insert(format!("k{n}"), n);
        }
        let before = map.clone();
        assert_eq!(map.insert("k7".into(), 70), Some(7));
        assert_eq!(map.remove("k8"), Some(8));
        assert_eq!(map.remove("k8"), None);
        *map.entry("new".into()) += 5;
        assert_eq!((before.get("k7"), before.get("k8"), before.get("new")), (Some(&7), Some(&8), None));
        assert_eq!((map.get("k7"), map.get("k8"), map.get("new")), (Some(&70), None, Some(&5)));
        assert_eq!((before.len(), map.len(), map.iter().count()), (2000, 2000, 2000));
    }

    #[test]
    fn path_lists_stay_sorted_and_empty_lists_vanish() {
        let path = |s: &str| RelPath::new(s).unwrap();
        let mut map: PathsBy<String> = Shards::default();
        for p in ["b.md", "a.md", "c.md", "a.md"] {
            map.add("k".into(), &path(p));
        }
        let before = map.clone();
        assert_eq!(map.paths("k").iter().map(RelPath::as_str).collect::<Vec<_>>(), ["a.md", "b.md", "c.md"]);
        map.drop_path("k", &path("b.md"));
        map.drop_path("k", &path("zz.md"));
        assert_eq!(map.paths("k").len(), 2);
        map.drop_path("k", &path("a.md"));
        map.drop_path("k", &path("c.md"));
        assert_eq!((map.len(), map.paths("k").len(), before.paths("k").len()), (0, 0, 3));
    }
}
