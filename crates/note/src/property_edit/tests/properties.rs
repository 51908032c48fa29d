use proptest::prelude::*;

use super::*;

fn any_value() -> impl Strategy<Value = Value> {
    let text = "([a-c1-3]|[ :#,\\-\\[\\]{}&*!|>'\"%@`?~.=_\\\\\n\t\r]|é|\u{85}|\u{feff}|true|null|\\[\\[){0,6}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-99i64..99).prop_map(|number| Value::Int(number.to_string())),
        text.prop_map(Value::Text),
    ];
    leaf.prop_recursive(3, 12, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            prop::collection::vec(inner, 0..4).prop_map(|values| {
                Value::Map(values.into_iter().enumerate().map(|(nth, value)| (format!("k{nth}"), value)).collect())
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Any value is written so that it reads back, over any other one, and back again.
    #[test]
    fn every_value_reads_back(values in prop::collection::vec(any_value(), 3), key in "[a-c: #'\"-]{1,4}", crlf in any::<bool>()) {
        prop_assume!(!key.trim().is_empty() && !["a", "z"].contains(&key.as_str()));
        let before = "---\na: 'x' # c\n# d\nz: [1]\n---\n# T\n";
        let before = if crlf { before.replace('\n', "\r\n") } else { before.to_owned() };
        let mut text = NoteText::from_str(&before);
        for value in values {
            let set = [(key.clone(), value.clone())];
            let edited = set_properties(&text, &parse(&text), &set, &[]).unwrap();
            let block = edited.note.frontmatter.as_ref().unwrap();
            let entry = block.entries.iter().find(|entry| entry.key == key).unwrap();
            prop_assert!(entry.value == value || entry.value.to_json() == value.to_json());
            text = edited.text;
        }
        let without = set_properties(&text, &parse(&text), &[], &[key]).unwrap();
        prop_assert_eq!(without.text.as_str(), before);
    }
}
