//! JSON whose untouched parts keep their text: numbers, spaces and unknown members stay as another program wrote them.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, MapAccess, Visitor},
};
use serde_json::value::{RawValue, to_raw_value};
use std::{collections::BTreeMap, fmt};

/// A JSON object whose members keep their order and their text.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawObject(Vec<(String, Box<RawValue>)>);

impl RawObject {
    /// The object in `text`; an empty one if there is none, which a checked document does not contain.
    pub(crate) fn parse(text: &RawValue) -> Self {
        serde_json::from_str(text.get()).unwrap_or_default()
    }

    pub(crate) fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| &**value)
    }

    /// The value at `key`, if it is there and of this type.
    pub(crate) fn read<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }

    /// The object at `key`; an empty one if there is none.
    pub(crate) fn object(&self, key: &str) -> Self {
        self.get(key).map(Self::parse).unwrap_or_default()
    }

    /// Sets a member in its place, or adds it at the end. A value that JSON cannot express is left as it was.
    pub(crate) fn set(&mut self, key: &str, value: &impl Serialize) {
        let Ok(value) = to_raw_value(value) else { return };
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Sets a member, or removes it if there is no value.
    pub(crate) fn set_or_remove(&mut self, key: &str, value: Option<&impl Serialize>) {
        match value {
            Some(value) => self.set(key, value),
            None => self.remove(key),
        }
    }

    pub(crate) fn remove(&mut self, key: &str) {
        self.0.retain(|(name, _)| name != key);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

impl Serialize for RawObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = RawObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawObject, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(RawObject(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// A list of the document, in which elements are replaced, added or removed.
#[derive(Clone, Debug, Default)]
struct RawList {
    items: Vec<Box<RawValue>>,
    is_changed: bool,
}

/// A document whose lists are edited element by element.
#[derive(Clone, Debug)]
pub(crate) struct RawDocument {
    root: RawObject,
    lists: BTreeMap<&'static str, RawList>,
    is_changed: bool,
    /// What the lists that were edited have between their elements.
    separator: &'static str,
}

impl RawDocument {
    /// The document in `json`.
    pub(crate) fn parse(json: &str) -> serde_json::Result<Self> {
        let root: RawObject = serde_json::from_str(json)?;
        let separator = if json.contains('\n') { ",\n    " } else { "," };
        Ok(Self { root, lists: BTreeMap::new(), is_changed: false, separator })
    }

    pub(crate) fn root(&self) -> &RawObject {
        &self.root
    }

    /// The root object, to edit members other than lists.
    pub(crate) fn root_mut(&mut self) -> &mut RawObject {
        self.is_changed = true;
        &mut self.root
    }

    pub(crate) fn is_changed(&self) -> bool {
        self.is_changed || self.lists.values().any(|list| list.is_changed)
    }

    fn list(&mut self, name: &'static str) -> &mut RawList {
        let root = &self.root;
        let read = || RawList { items: root.read(name).unwrap_or_default(), is_changed: false };
        self.lists.entry(name).or_insert_with(read)
    }

    pub(crate) fn count(&mut self, list: &'static str) -> usize {
        self.list(list).items.len()
    }

    /// An element of a list; an empty object beyond its end.
    pub(crate) fn item(&mut self, list: &'static str, index: usize) -> RawObject {
        self.list(list).items.get(index).map(|item| RawObject::parse(item)).unwrap_or_default()
    }

    /// The text of an element of a list; `null` beyond its end.
    pub(crate) fn item_text(&mut self, list: &'static str, index: usize) -> Box<RawValue> {
        self.list(list).items.get(index).cloned().unwrap_or_default()
    }

    /// Replaces an element of a list.
    pub(crate) fn set_item(&mut self, list: &'static str, index: usize, item: &impl Serialize) {
        let list = self.list(list);
        if let (Some(place), Ok(item)) = (list.items.get_mut(index), to_raw_value(item)) {
            list.is_changed |= place.get() != item.get();
            *place = item;
        }
    }

    /// Changes an element of a list.
    pub(crate) fn edit(&mut self, list: &'static str, index: usize, change: impl FnOnce(&mut RawObject)) {
        let mut item = self.item(list, index);
        change(&mut item);
        self.set_item(list, index, &item);
    }

    /// Adds an element to the end of a list and returns its index.
    pub(crate) fn push(&mut self, list: &'static str, item: &impl Serialize) -> usize {
        let list = self.list(list);
        if let Ok(item) = to_raw_value(item) {
            list.items.push(item);
            list.is_changed = true;
        }
        list.items.len() - 1
    }

    /// The elements of a list, to put them into another order.
    pub(crate) fn items(&mut self, list: &'static str) -> Vec<Box<RawValue>> {
        self.list(list).items.clone()
    }

    /// Replaces all elements of a list.
    pub(crate) fn set_items(&mut self, name: &'static str, items: Vec<Box<RawValue>>) {
        let list = self.list(name);
        list.items = items;
        list.is_changed = true;
    }

    /// The text of the document: the members that were not edited keep theirs.
    pub(crate) fn text(mut self) -> serde_json::Result<String> {
        for (name, list) in std::mem::take(&mut self.lists) {
            if !list.is_changed {
                continue;
            }
            if list.items.is_empty() {
                // glTF has no empty lists.
                self.root.remove(name);
                continue;
            }
            let items: Vec<&str> = list.items.iter().map(|item| item.get()).collect();
            let text = format!("[{}]", items.join(self.separator));
            let text = RawValue::from_string(text)?;
            self.root.set(name, &text);
        }
        serde_json::to_string(&self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        r#"{"b": 1.50, "nodes": [ {"name" : "x",  "q":1e0}, {"y":[1, 2]} ], "a":{"z":0,"c":[]}}"#;

    #[test]
    fn what_is_not_edited_keeps_its_text() {
        let mut document = RawDocument::parse(TEXT).unwrap();
        assert_eq!(document.count("nodes"), 2);
        assert!(!document.is_changed());
        document.edit("nodes", 1, |node| node.set("extra", &7));
        assert!(document.is_changed());
        assert_eq!(
            document.text().unwrap(),
            r#"{"b":1.50,"nodes":[{"name" : "x",  "q":1e0},{"y":[1, 2],"extra":7}],"a":{"z":0,"c":[]}}"#
        );
    }

    #[test]
    fn elements_are_added_and_lists_made_and_removed() {
        let mut document = RawDocument::parse(TEXT).unwrap();
        assert_eq!(document.push("skins", &1), 0);
        document.set_items("nodes", Vec::new());
        document.root_mut().remove("a");
        assert_eq!(document.text().unwrap(), r#"{"b":1.50,"skins":[1]}"#);
    }

    #[test]
    fn members_are_set_in_their_place() {
        let mut object: RawObject = serde_json::from_str(r#"{"b":1,"a":2}"#).unwrap();
        object.set("b", &[1.5]);
        object.set_or_remove("a", None::<&u32>);
        object.set("c", &"x");
        assert_eq!(serde_json::to_string(&object).unwrap(), r#"{"b":[1.5],"c":"x"}"#);
        assert_eq!(object.read::<Vec<f32>>("b"), Some(vec![1.5]));
    }
}
