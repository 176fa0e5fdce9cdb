// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/elf_symbols.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>

#define NOTES_MAX_BYTES (1u << 20)

static Elf *open_elf(int fd)
{
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return NULL;
	}
	return elf;
}

/* Looks through the notes of one segment. */
static bool find_build_id(Elf_Data *data, uint8_t id[BUILD_ID_BYTES])
{
	size_t at = 0, name_at, desc_at, next;
	GElf_Nhdr note;

	while ((next = gelf_getnote(data, at, &note, &name_at, &desc_at)) > at) {
		const char *bytes = data->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(bytes + name_at, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && note.n_descsz) {
			memcpy(id, bytes + desc_at,
			       note.n_descsz < BUILD_ID_BYTES ? note.n_descsz : BUILD_ID_BYTES);
			return true;
		}
		at = next;
	}
	return false;
}

bool elf_build_id(int fd, uint8_t id[BUILD_ID_BYTES])
{
	Elf *elf = open_elf(fd);
	size_t count = 0;
	bool found = false;

	memset(id, 0, BUILD_ID_BYTES);
	if (!elf)
		return false;
	if (elf_getphdrnum(elf, &count))
		count = 0;
	for (size_t i = 0; !found && i < count && i < ELF_SEGMENTS_MAX; i++) {
		Elf_Data *data = NULL;
		GElf_Phdr ph;

		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_NOTE &&
		    ph.p_filesz <= NOTES_MAX_BYTES)
			data = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz,
						    ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		found = data && find_build_id(data, id);
	}
	elf_end(elf);
	return found;
}

void elf_symbols_init(struct elf_symbols *elf)
{
	*elf = (struct elf_symbols){0};
	symbol_table_init(&elf->functions);
}

void elf_symbols_fini(struct elf_symbols *elf)
{
	symbol_table_fini(&elf->functions);
	elf->segment_count = 0;
}

static void read_segments(Elf *elf, struct elf_symbols *to)
{
	size_t count = 0;

	if (elf_getphdrnum(elf, &count))
		return;
	for (size_t i = 0; i < count && to->segment_count < ELF_SEGMENTS_MAX; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		to->segments[to->segment_count++] = (struct elf_segment){
			.offset = ph.p_offset,
			.bytes = ph.p_filesz,
			.address = ph.p_vaddr,
		};
	}
}

/* Functions of one table; what libelf cannot make sense of is left out. */
static int read_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, struct elf_symbols *to)
{
	Elf_Data *data = elf_getdata(section, NULL);
	uint64_t count = data && head->sh_entsize ? data->d_size / head->sh_entsize : 0;
	int err = 0;

	for (uint64_t i = 0; !err && i < count && i < SYMBOL_TABLE_MAX; i++) {
		const char *name;
		GElf_Sym sym;
		int type;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		type = GELF_ST_TYPE(sym.st_info);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, head->sh_link, sym.st_name);
		if (name && *name)
			err = symbol_table_add(&to->functions, sym.st_value, sym.st_size, name,
					       strnlen(name, SYMBOL_NAME_MAX));
	}
	return err;
}

/* All tables of one type: how many functions they had, or -errno. */
static int read_tables(Elf *elf, uint32_t type, struct elf_symbols *to)
{
	size_t before = to->functions.count;
	Elf_Scn *section = NULL;
	int err = 0;

	while (!err && (section = elf_nextscn(elf, section))) {
		GElf_Shdr head;

		if (gelf_getshdr(section, &head) && head.sh_type == type)
			err = read_table(elf, section, &head, to);
	}
	return err ?: (int)(to->functions.count - before);
}

int elf_symbols_read(struct elf_symbols *to, int fd)
{
	Elf *elf = open_elf(fd);
	int count;

	if (!elf)
		return -EBADMSG;
	read_segments(elf, to);
	count = read_tables(elf, SHT_SYMTAB, to);
	if (!count)
		count = read_tables(elf, SHT_DYNSYM, to);
	elf_end(elf);
	if (count < 0)
		return count;
	return count ? 0 : -ENOENT;
}

int elf_symbols_read_debug(struct elf_symbols *to, int fd)
{
	Elf *elf = open_elf(fd);
	int count;

	if (!elf)
		return -EBADMSG;
	count = read_tables(elf, SHT_SYMTAB, to);
	elf_end(elf);
	if (count < 0)
		return count;
	return count ? 0 : -ENOENT;
}

/* Where the file itself says that this part of it is loaded. */
static const struct elf_segment *segment_at(const struct elf_symbols *elf, uint64_t offset)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->bytes)
			return segment;
	}
	return NULL;
}

bool elf_symbols_find(struct elf_symbols *elf, uint64_t offset, struct symbol *ret)
{
	const struct elf_segment *segment = segment_at(elf, offset);
	uint64_t address;

	if (!segment)
		return false;
	address = segment->address + (offset - segment->offset);
	if (!symbol_table_find(&elf->functions, address, ret))
		return false;
	ret->start = offset - (address - ret->start);
	return true;
}
